package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session's time with one connection, from the lease to its release, and what keeps the connection with this client.
 * It knows what is in progress and how to end it. The {@link Session} decides when to release the connection.
 */
final class Tenure {

    private final Session session;
    private final Surroundings surroundings;

    /** What the client sends. */
    private final FrameReader client;

    private @Nullable Link link;
    private @Nullable Errand errand;

    /** A session that keeps its connection has used it. */
    private boolean keeps;

    private boolean pinned;
    private boolean listens;

    /** The connection must be reset before its next lease. */
    private boolean unclean;

    /** The client left within a transaction. */
    private boolean leftWithin;

    /** The server has said why it ends the connection. */
    private boolean toldLast;

    /** The client has prepared, and may execute next what it prepared without a name. */
    private boolean midway;

    /** Requested cancels whose arrival is not confirmed; the connection is not released before. */
    private int cancelling;

    Tenure(Session session, Surroundings surroundings, FrameReader client) {
        this.session = session;
        this.surroundings = surroundings;
        this.client = client;
    }

    void begin(Link granted) {
        link = granted;
        granted.met.nextLease();
    }

    /** The connection is released. Keeps only what the next tenure must know. */
    void end(Link ended, boolean fit) {
        link = null;
        errand = null;
        keeps = false;
        pinned = false;
        listens = false;
        leftWithin = false;
        toldLast = false;
        surroundings.release(ended, fit);
    }

    /** The link; null where there is no lease. */
    @Nullable
    Link link() {
        return link;
    }

    Link held() {
        Link to = link;
        if (to == null) {
            throw new IllegalStateException("the session holds no connection");
        }
        return to;
    }

    /** The link if the client may use it now; null while Headgate runs its own commands on it. */
    @Nullable
    Link forClient() {
        Link to = errand == null ? link : null;
        midway = false;
        if (to != null && session.rules.keepsConnection()) {
            keeps = true;
            unclean = true;
        }
        return to;
    }

    // ---- why it lasts

    /** Whether the client keeps the connection whatever it does. */
    boolean isBound() {
        return pinned || keeps;
    }

    /**
     * Whether its reset drops every prepared statement: of a client that kept the connection some are its own, and of one that left
     * within a transaction nobody knows what else it left undone.
     */
    boolean endsWithoutStatements() {
        return isBound() || leftWithin;
    }

    /** @return whether it was not pinned before */
    boolean pin(String why) {
        listens |= why.equals("LISTEN");
        unclean = true;
        boolean fresh = !pinned && !session.rules.keepsConnection();
        pinned |= fresh;
        return fresh;
    }

    /** What pinned it goes with the reset that follows. */
    void unpin() {
        pinned = false;
        listens = false;
    }

    void noteUnclean(boolean so) {
        unclean |= so;
    }

    void noteLastWords(boolean last) {
        toldLast |= last;
    }

    /** Whether the server has said why it ends the connection. */
    boolean toldLast() {
        return toldLast;
    }

    /** Whether commands of Headgate's own would take from the client its unnamed statement, which it may be about to execute. */
    boolean isMidway() {
        return midway && session.rules.keepsConnection();
    }

    /** Whether nothing of this client is in progress on the connection. */
    boolean isQuiet() {
        Link to = link;
        return to != null
                && session.transaction.isOver()
                && to.pipeline.isSettled()
                && !to.pipeline.isSkipping()
                && !client.isPassing()
                && !to.in.isOpen()
                && to.in.buffered() == 0;
    }

    /** Whether the client holds no connection, or is idle and may keep it. */
    boolean mayIdle() {
        return link == null || ((listens || session.rules.keepsConnection()) && isQuiet());
    }

    /** Whether the server has answered everything and a transaction is open. */
    boolean isWithinTransaction() {
        Link to = link;
        return to != null && errand == null && session.transaction.status != 'I' && to.pipeline.isSettled();
    }

    /** Whether nothing happens until the client sends more. */
    boolean isClientsTurn() {
        Link to = held();
        return session.transaction.copyingIn
                || client.isPassing()
                || to.pipeline.isSettled()
                || to.pipeline.rounds() == 0;
    }

    // ---- Headgate's own commands

    @Nullable
    Errand errand() {
        return errand;
    }

    /** @param done called once the server has answered, with the error if there was one */
    void run(String commands, Consumer<Fields.@Nullable Failure> done) {
        errand = new Errand(
                held(),
                commands,
                surroundings.nanoTime() + session.rules.serverTimeout().toNanos(),
                session::out,
                done);
    }

    void errandEnded(Errand ended) {
        errand = null;
        ended.end();
    }

    /** Whether it must be reset before the next lease. Reading it clears it. */
    boolean takeUnclean() {
        boolean was = unclean || session.rules.alwaysReset();
        unclean = false;
        return was;
    }

    // ---- bringing it to an end

    /** Whether a command of Headgate's own, or a cancel, is in progress. */
    boolean isBusy() {
        return errand != null || cancelling > 0;
    }

    boolean isCancelling() {
        return cancelling > 0;
    }

    /** Whether a cancel is on its way, and the request that it was for has ended. */
    boolean awaitsCancel() {
        Link to = link;
        return cancelling > 0
                && to != null
                && to.pipeline.isSettled()
                && !to.pipeline.isSkipping()
                && session.transaction.isSynced()
                && !session.transaction.copyingIn
                && !client.isPassing();
    }

    /** Asks the server to cancel the running request; does nothing if none runs. */
    void cancel() {
        Link to = link;
        if (to != null && !to.pipeline.isSettled()) {
            cancelling++;
            surroundings.cancel(to);
        }
    }

    void cancelled() {
        cancelling--;
    }

    /**
     * Some clients prepare with a Flush and send the Sync only with the first execution. They do not keep the
     * connection until then.
     *
     * @return whether this was such a case, and a Sync was sent
     */
    boolean endPreparing() {
        Link to = held();
        if (!session.transaction.hasOnlyPrepared() || !to.pipeline.isSettled() || client.isPassing()) {
            return false;
        }
        session.transaction.skippingToSync = to.pipeline.isSkipping();
        sync(to);
        midway = true;
        return true;
    }

    /** Completes the messages of a client that has gone, so that the server finishes. */
    void endWhatIsOpen(Runnable onBroken) {
        Link to = held();
        Transaction transaction = session.transaction;
        if (client.isPassing()) {
            return;
        }
        if (transaction.copyingIn) {
            transaction.copyingIn = false;
            to.out.message('f', "the client has gone");
        } else if (to.pipeline.isSettled() && (!transaction.isSynced() || to.pipeline.isSkipping())) {
            sync(to);
        } else if (to.pipeline.isSettled() && transaction.status != 'I' && !to.in.isOpen() && to.in.buffered() == 0) {
            leftWithin = true;
            unclean = true;
            run("ROLLBACK", failure -> {
                transaction.status = 'I';
                if (failure != null) {
                    onBroken.run();
                }
            });
        }
    }

    private void sync(Link to) {
        session.owe(to, Owed.of(Sent.OUR_SYNC));
        to.out.message('S');
    }
}
