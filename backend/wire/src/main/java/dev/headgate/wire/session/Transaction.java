package dev.headgate.wire.session;

/**
 * The state of a client's transaction, as the messages show it: what the server has reported, and what was sent and is not
 * ended yet.
 */
final class Transaction {

    /** As in ReadyForQuery: I idle, T in a transaction, E in a failed one. */
    byte status = 'I';

    /** The server waits for a COPY's data. */
    boolean copyingIn;

    /** Messages of the extended protocol were sent without a Sync. Until the Sync they are a transaction. */
    private boolean unsynced;

    /** One of these messages may have done work. */
    private boolean worked;

    /** A statement of the current batch has been executed, or rows of it have been sent. */
    boolean executed;

    /** Headgate refused a message. Like the server, it ignores all messages until the next Sync. */
    boolean skippingToSync;

    /** It has created, altered or dropped an object. */
    boolean changedSchema;

    /** A message was sent that leaves the extended protocol without its Sync. */
    void began(boolean work) {
        unsynced = true;
        worked |= work;
    }

    /** The number of message rounds sent. Each ends with a Sync or a simple query. */
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

    /** Whether all messages sent so far have their Sync. */
    boolean isSynced() {
        return !unsynced;
    }

    /** Whether statements were prepared or described, none was executed, and the Sync is missing. */
    boolean hasOnlyPrepared() {
        return unsynced && !worked && status == 'I' && !copyingIn;
    }

    /** Whether no transaction is open, according to the client's and the server's messages. */
    boolean isOver() {
        return status == 'I' && !unsynced && !copyingIn;
    }

    /** Whether an implicit transaction has begun and nothing has been executed in it. */
    boolean isFresh() {
        return status == 'I' && !executed;
    }
}
