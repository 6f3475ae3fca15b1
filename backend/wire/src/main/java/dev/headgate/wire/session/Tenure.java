package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A session's time with one connection, from the request for a lease to its release, and what keeps the connection with this
 * client. It knows what is in progress and how to end it. {@link Leasing} decides when to release the connection.
 */
final class Tenure {

    private final Rules rules;
    private final Transaction transaction;
    private final OwnAnswers own;
    private final SessionStatus status;
    private final Surroundings surroundings;

    /** What the client sends. */
    private final FrameReader client;

    private boolean asked;
    private @Nullable Link link;
    private @Nullable Errand errand;

    /** A session that keeps its connection has used it. */
    private boolean keeps;

    private boolean pinned;

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

    Tenure(
            Rules rules,
            Transaction transaction,
            OwnAnswers own,
            SessionStatus status,
            Surroundings surroundings,
            FrameReader client) {
        this.rules = rules;
        this.transaction = transaction;
        this.own = own;
        this.status = status;
        this.surroundings = surroundings;
        this.client = client;
    }

    // ---- from the request to the release

    /** Asks for a connection. It may be granted within this call. */
    void ask(String holder) {
        asked = true;
        status.waiting(surroundings.nanoTime());
        surroundings.lease(holder);
    }

    /**
     * Whether the client must take its answers before the connection is released. Without a connection it could leave them for as long
     * as it likes.
     */
    boolean mustBeRead() {
        return own.out().size() > 0 && surroundings.isFull();
    }

    /** Whether the session waits for a connection. */
    boolean isAskedFor() {
        return asked;
    }

    /** Withdraws the request for a connection. */
    void withdraw() {
        asked = false;
        surroundings.giveUp();
        status.idle();
    }

    /** The request for a connection is answered. */
    void answered() {
        asked = false;
    }

    void begin(Link granted) {
        link = granted;
        granted.met.nextLease();
        status.active();
    }

    /** The connection is released. Keeps only what the next tenure must know. */
    void end(Link ended, boolean fit) {
        status.idle();
        link = null;
        errand = null;
        keeps = false;
        pinned = false;
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
        if (to != null && rules.keepsConnection()) {
            keeps = true;
            unclean = true;
        }
        return to;
    }

    // ---- why it lasts

    /** Whether the session has a connection of its own from its first statement on, where it prepares statements under its own names. */
    boolean isOfSession() {
        return rules.keepsConnection();
    }

    /** Whether the client keeps the connection whatever it does. */
    boolean isBound() {
        return pinned || keeps;
    }

    /**
     * Whether its reset drops every prepared statement: a client that kept the connection has some of its own there, and
     * of one that left within a transaction it is not known what else it left undone.
     */
    boolean endsWithoutStatements() {
        return isBound() || leftWithin;
    }

    /**
     * The effect of the next statement belongs to the connection, so the client keeps the connection from now on.
     *
     * @param why the cause, for SHOW CLIENTS
     */
    void pin(String why) {
        unclean = true;
        if (!pinned && !rules.keepsConnection()) {
            pinned = true;
            status.pinned(why);
        }
    }

    /** What pinned the client is dropped with the reset of its connection. */
    void unpin() {
        pinned = false;
        status.pinned("");
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
        return midway && rules.keepsConnection();
    }

    /** Whether nothing of this client is in progress on the connection. */
    boolean isQuiet() {
        Link to = link;
        return to != null
                && transaction.isOver()
                && to.pipeline.isSettled()
                && !to.pipeline.isSkipping()
                && !client.isPassing()
                && !to.in.isOpen()
                && to.in.buffered() == 0;
    }

    /** Whether the client holds no connection, or is idle and may keep it. */
    boolean mayIdle() {
        return link == null || ((pinned || rules.keepsConnection()) && isQuiet());
    }

    /** Whether the server has answered everything and a transaction is open. */
    boolean isWithinTransaction() {
        Link to = link;
        return to != null && errand == null && transaction.status != 'I' && to.pipeline.isSettled();
    }

    /** Whether only Headgate's own commands are in progress, so that another connection can take its place. */
    boolean isReplaceable() {
        return errand != null && !isBound() && transaction.isOver();
    }

    /** Whether nothing happens until the client sends more. */
    boolean isClientsTurn() {
        Link to = held();
        boolean answers = to.pipeline.rounds() > 0 || to.pipeline.size() >= rules.owed(); // then it was sent a Flush
        return transaction.copyingIn || client.isPassing() || to.pipeline.isSettled() || !answers;
    }

    // ---- what is sent

    /** Records a message that is about to be written and the response it expects. */
    void owe(Link to, Owed what) {
        switch (what.sent()) {
            case SYNC, OUR_SYNC, QUERY -> transaction.synced();
            case COPY_END, ABSORBED_PARSE, ABSORBED_CLOSE, ABSORBED_DESCRIBE -> {} // these do not begin a transaction
            case BIND, EXECUTE -> transaction.began(true);
            default -> transaction.began(false);
        }
        to.pipeline.sent(what);
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
                surroundings.nanoTime() + rules.serverTimeout().toNanos(),
                own::out,
                done);
    }

    void errandEnded(Errand ended) {
        errand = null;
        ended.end();
    }

    /** Whether it must be reset before the next lease. Reading it clears it. */
    boolean takeUnclean() {
        boolean was = unclean || rules.alwaysReset();
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
                && transaction.isSynced()
                && !transaction.copyingIn
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
        if (!transaction.hasOnlyPrepared() || !to.pipeline.isSettled() || client.isPassing()) {
            return false;
        }
        transaction.skippingToSync = to.pipeline.isSkipping();
        sync(to);
        midway = true;
        return true;
    }

    /** Completes the messages of a client that has gone, so that the server finishes. */
    void endWhatIsOpen(Runnable onBroken) {
        Link to = held();
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
        owe(to, Owed.of(Sent.OUR_SYNC));
        to.out.message('S');
    }
}
