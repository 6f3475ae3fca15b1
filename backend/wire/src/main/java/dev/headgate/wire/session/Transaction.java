package dev.headgate.wire.session;

/**
 * Where a client stands between two requests, as the relay can tell from the messages: what the server has reported, and
 * what was sent that it has not ended yet.
 */
final class Transaction {

    /** As in ReadyForQuery: I idle, T in a transaction, E in a failed one. */
    byte status = 'I';

    /** The server waits for a COPY's data. */
    boolean copyingIn;

    /** Messages of the extended protocol were sent and no Sync behind them: until then they are a transaction. */
    private boolean unsynced;

    /** Something of that may have done work. */
    private boolean worked;

    /** A statement of the present batch has been executed, or rows of it have been sent. */
    boolean executed;

    /** Something was refused here: as the server would, nothing is looked at before the next Sync. */
    boolean skippingToSync;

    /** It has created, altered or dropped something. */
    boolean changedSchema;

    /** A message was sent that leaves the extended protocol without its Sync. */
    void began(boolean work) {
        unsynced = true;
        worked |= work;
    }

    /** How many rounds of messages, each up to a Sync or a simple query, have been sent. */
    private long rounds;

    /** A Sync or a simple query was sent. */
    void synced() {
        rounds++;
        unsynced = false;
        worked = false;
    }

    /** The round that is being sent, from 0. */
    long round() {
        return rounds;
    }

    /** Nothing sent so far is left without its Sync. */
    boolean isSynced() {
        return !unsynced;
    }

    /** Statements were prepared or described and nothing was executed, and the Sync is missing. */
    boolean hasOnlyPrepared() {
        return unsynced && !worked && status == 'I' && !copyingIn;
    }

    /** No transaction is open, by the client's messages and by the server's. */
    boolean isOver() {
        return status == 'I' && !unsynced && !copyingIn;
    }

    /** An implicit transaction has begun and nothing has been executed in it. */
    boolean isFresh() {
        return status == 'I' && !executed;
    }
}
