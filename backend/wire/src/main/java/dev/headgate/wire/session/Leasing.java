package dev.headgate.wire.session;

import dev.headgate.protocol.FrameReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gets a connection for a session and gives it back. Asks for a lease when the client's next message needs one, and applies
 * the client's settings before the client uses the connection. Replaces a connection that was lost before it got anything
 * of the client's. Releases the connection as soon as the mode allows: every event ends in {@link #settle}, the only place that
 * decides this between requests. A connection that was lost, or that cannot get the client's settings, is released at once. Refuses
 * requests that get no connection.
 *
 * <p>{@link Tenure} knows the connection and what is in progress on it; {@link Life} ends the session.
 */
final class Leasing {

    /** How often a connection is replaced if it was lost before any of the client's data was sent. */
    private static final int MOST_REPLACED = 3;

    private static final String STOPPING = "Headgate is stopping";

    private final Tenure tenure;
    private final Life life;
    private final OwnAnswers own;
    private final ClientSettings settings;
    private final Retry retry;

    /** The client's messages. */
    private final FrameReader in;

    private final Supplier<String> holder;

    /** Receives what the server reports, if the login waits for that. */
    private @Nullable Consumer<Map<String, String>> learned;

    /** The connection is released once everything written for it has been sent, and read if it must be. */
    private boolean unsent;

    private boolean stopping;
    private boolean leasesNoMore;

    /** What a client is told that asks for another lease; null if nothing. */
    private @Nullable String refuses;

    /** The connection that it holds must not serve another client. */
    private boolean condemned;

    private int replaced;

    /** The client has cancelled its request before the connection had the client's settings. */
    private boolean cancelledEarly;

    /** @param holder gives the label of the next lease */
    Leasing(
            Tenure tenure,
            Life life,
            OwnAnswers own,
            ClientSettings settings,
            Retry retry,
            FrameReader in,
            Supplier<String> holder) {
        this.tenure = tenure;
        this.life = life;
        this.own = own;
        this.settings = settings;
        this.retry = retry;
        this.in = in;
        this.holder = holder;
    }

    // ---- getting a connection

    /**
     * The link, leased if there is none; null while the session waits for it. A request waits too until the cancel of the one before it
     * has arrived, which would else end this one.
     */
    @Nullable
    Link toServer() {
        if (tenure.awaitsCancel()) {
            return null;
        }
        if (tenure.link() == null && !tenure.isAskedFor()) {
            if (stopping) {
                life.end("57P01", STOPPING);
            } else {
                ask();
            }
        }
        return tenure.forClient();
    }

    /**
     * Asks for a connection whose reported parameters end the login.
     *
     * @param told receives these parameters
     */
    void askToGreet(Consumer<Map<String, String>> told) {
        learned = told;
        ask();
    }

    private void ask() {
        if (leasesNoMore) {
            if (refuses == null) {
                life.hangUp();
            } else {
                life.end("57P01", refuses);
            }
            return;
        }
        tenure.ask(holder.get());
    }

    /** The lease is granted. */
    void begin(Link granted) {
        tenure.begin(granted);
        if (leasesNoMore) {
            life.hangUp();
        } else {
            adopt(false);
        }
    }

    /**
     * Applies the client's settings to the connection if they differ. The encoding comes first where others are to be read in it. Before
     * a session of its own it drops what the driver has prepared there for JDBC, whose names the client may use, too.
     *
     * @param clean whether it was reset for this: then it is the client's own settings that the server refuses, and not the restoring of
     *     another client's
     */
    private void adopt(boolean clean) {
        Link to = tenure.held();
        Map<String, String> wanted = settings.present();
        Map<String, String> next = to.readsOtherwise(wanted) ? to.withEncodingOf(wanted) : wanted;
        String commands = to.adoption(next);
        if (tenure.isOfSession()) {
            commands = to.takeDriversStatements() + commands;
        }
        if (commands.isEmpty()) {
            adopted();
            return;
        }
        Map<String, String> applied = new LinkedHashMap<>(next);
        tenure.run(commands, failure -> {
            if (failure == null) {
                to.adopted(applied);
                adopt(clean); // until nothing is left to do
            } else if (tenure.isBound()) {
                throwAway(failure.state(), failure.message());
            } else if (!clean && !to.settings.isEmpty()) {
                cleanAndAdopt(to);
            } else if (life.isWelcoming()) {
                life.end(failure.state(), failure.message());
            } else {
                release(true);
                refuse(failure.state(), failure.message(), "While the session's settings were put in place.");
            }
        });
    }

    private void cleanAndAdopt(Link to) {
        tenure.run(to.reset(false), failure -> {
            if (failure == null) {
                to.wasReset();
                adopt(true);
            } else {
                release(false);
                replace();
            }
        });
    }

    private void adopted() {
        replaced = 0;
        if (cancelledEarly) {
            refuseCancelled();
        }
        Consumer<Map<String, String>> told = learned;
        if (told != null && life.isWelcoming()) {
            learned = null;
            Map<String, String> reported = Map.copyOf(tenure.held().reported);
            told.accept(reported);
            own.greet(reported);
            life.serve();
        }
    }

    /** Nothing of the request was sent to a connection that is gone: another one serves it. */
    private void replace() {
        if (replaced++ >= MOST_REPLACED) {
            life.end("08006", "no connection to the database could be prepared for this client");
        } else if (life.isWelcoming() || (life.isServing() && in.isOpen())) {
            ask();
        }
    }

    // ---- refusing

    /** Allows no further transaction. */
    void stop() {
        stopping = true;
    }

    /** Asks for no further lease. The session ends when it needs one. */
    void leaseNoMore() {
        leasesNoMore = true;
    }

    /** The same, and the client is told why. */
    void leaseNoMore(String why) {
        leasesNoMore = true;
        refuses = why;
    }

    /** Asks for no further lease, and discards the connection that the session holds when it is released. */
    void condemn() {
        leasesNoMore = true;
        condemned = true;
    }

    /** Tells the client that its current request, or its login, failed. */
    void refuse(String sqlState, @Nullable String message, String detail) {
        cancelledEarly = false; // a cancel is of this request, and of no later one
        if (life.isWelcoming()) {
            life.end(sqlState, message);
        } else if (life.isServing() && in.isOpen()) {
            own.refuse(sqlState, message, detail);
        }
    }

    /**
     * Cancels the client's current request. One that waits for a connection, or for its settings there, is refused: the server knows
     * nothing of it.
     */
    void cancelRequest() {
        if (!life.isServing() || !in.isOpen() || !(tenure.isAskedFor() || tenure.errand() != null)) {
            tenure.cancel();
        } else if (tenure.isAskedFor()) {
            tenure.withdraw();
            refuseCancelled();
        } else {
            cancelledEarly = true;
        }
    }

    private void refuseCancelled() {
        refuse("57014", "canceling statement due to user request", "");
    }

    // ---- giving it back

    /**
     * All input has been handled. Waits for outstanding responses, then releases the connection if the mode allows it. The
     * only place that releases a connection that serves its client.
     */
    void settle() {
        unsent = false;
        Link to = tenure.link();
        if (to != null && !tenure.isBusy()) {
            settle(to);
        }
        if (tenure.link() == null && life.isLeaving()) {
            life.finish();
        } else if (tenure.link() == null && stopping && !tenure.isAskedFor() && !life.hasEnded()) {
            life.end("57P01", STOPPING);
        }
    }

    private void settle(Link to) {
        if (tenure.endPreparing()) {
            return;
        }
        if (!tenure.isQuiet()) {
            if (tenure.isWithinTransaction()) {
                retry.forget(); // only a transaction's first round is sent again
            }
            if (life.isLeaving() && !life.cancelsTheNext(to)) {
                tenure.endWhatIsOpen(() -> release(false));
            }
            return;
        }
        retry.forget();
        if (stopping && tenure.isBound()) {
            life.end("57P01", STOPPING);
        }
        if (!life.isLeaving() && tenure.isBound()) {
            if (!tenure.isMidway() && settings.takeChanged()) {
                adopt(false);
            }
        } else {
            giveBack(to);
        }
    }

    private void giveBack(Link to) {
        if (tenure.mustBeRead()) {
            unsent = true;
        } else if (tenure.takeUnclean()) {
            tenure.run(to.reset(tenure.endsWithoutStatements()), failure -> {
                to.wasReset();
                release(failure == null);
            });
        } else if (to.out.size() > 0) { // such as data for a COPY that has failed
            unsent = true;
        } else {
            release(true);
        }
    }

    /** Whether the release waited only for bytes to be sent, and they are sent. */
    boolean canGoOn() {
        Link to = tenure.link();
        return unsent && to != null && to.out.size() == 0 && !tenure.mustBeRead();
    }

    /**
     * Releases the connection, if there is one.
     *
     * @param fit whether it may serve another client
     */
    void release(boolean fit) {
        Link to = tenure.link();
        if (to == null) {
            return;
        }
        tenure.end(to, fit && !condemned);
        if (life.isLeaving()) {
            life.finish();
        }
    }

    /** Ends the session and discards its connection. */
    void throwAway(String sqlState, @Nullable String message) {
        life.end(sqlState, message);
        release(false);
    }

    /** The server is gone, or violates the protocol: the connection is discarded. */
    void lost(String why) {
        Link to = tenure.link();
        if (to == null) {
            return;
        }
        boolean replaceable = tenure.isReplaceable() && !life.isLeaving();
        boolean half = to.in.isPassing();
        boolean told = tenure.toldLast();
        release(false);
        if (life.hasEnded()) {
            return;
        }
        if (replaceable && replaced < MOST_REPLACED) {
            replace();
        } else if (half || told) { // the client has half a message, or the server has said why
            life.hangUp();
        } else {
            life.end("08006", "the connection to the database was lost: " + why);
        }
    }
}
