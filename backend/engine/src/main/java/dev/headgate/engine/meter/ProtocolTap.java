package dev.headgate.engine.meter;

/**
 * Follows the PostgreSQL frontend/backend protocol 3 in both directions of one connection and finds the requests in it: each
 * lasts from the first byte written while the server was idle, or from the ReadyForQuery of the request before it, to its own
 * ReadyForQuery. Reads only message headers, keeps no bytes, copies nothing.
 *
 * <p>A message is a type byte, a length (four bytes, big-endian, counting itself) and the rest (PostgreSQL documentation, "Message
 * Formats"). Three cases differ: a startup message has no type, an SSLRequest is answered by a single byte, and everything after a
 * positive answer is TLS and is followed above the TLS layer instead.
 *
 * <h2>Pipelines</h2>
 *
 * A client may send further requests before the first is answered. So the tap counts what the server owes a ReadyForQuery for: the
 * startup, and each Query, FunctionCall and Sync. While the server takes a COPY from the client it ignores Syncs, and with a COPY of the
 * extended protocol also those that came before its answer. Whoever leases the connection knows that it owes nothing
 * ({@link #settled}): a client that breaks the protocol does not spoil the next one's figures.
 *
 * <p>Used by the thread that uses the connection, one at a time. Calls the {@link Listener} on that thread.
 */
final class ProtocolTap {

    /** Receives what the tap finds. */
    interface Listener {
        /** The first byte of a request was written. */
        void requestBegan();

        /** @param transactionStatus as in ReadyForQuery: I idle, T in a transaction, E in a failed one */
        void requestEnded(boolean failed, byte transactionStatus);

        /** A notice has come, which JDBC calls a warning. */
        void noticed();
    }

    private static final int SSL_REQUEST = 80877103;
    private static final int HEADER_LENGTH = 5;

    private final Listener listener;

    private boolean started;
    private boolean loggedIn;
    private boolean requestUnderWay;
    private boolean failed;
    private boolean sslAnswerDue;

    /** How many ReadyForQuery messages the server owes. */
    private int owed;

    /** Which of the first 64 of them are owed to a Query or FunctionCall, the next one in the lowest bit; the others to a Sync. */
    private long owedToQueries;

    /** The server takes a COPY from the client. */
    private boolean copying;

    // what is written
    private boolean untyped;
    private byte sentType;
    private int sentHeader;
    private int sentLength;
    private int sentLeft;

    // what is read

    private byte type;
    private int headerRead;
    private int length;
    private int bodyLeft;

    /** Bytes since the last ReadyForQuery, those among them that the server has only announced. */
    private long answered;

    ProtocolTap(Listener listener) {
        this.listener = listener;
    }

    /** Bytes are about to be written to the server. */
    void written(byte[] bytes, int offset, int count) {
        if (!started) {
            started = true;
            sslAnswerDue = count == 8 && int32(bytes, offset) == 8 && int32(bytes, offset + 4) == SSL_REQUEST;
            if (sslAnswerDue) {
                started = false;
                return;
            }
            untyped = true;
        }
        if (!requestUnderWay && count > 0 && bytes[offset] != 'X') {
            requestUnderWay = true;
            listener.requestBegan();
        }
        follow(bytes, offset, offset + count);
    }

    private void follow(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            if (sentLeft > 0) {
                int here = Math.min(sentLeft, to - at);
                sentLeft -= here;
                at += here;
                continue;
            }
            byte next = bytes[at++];
            if (sentHeader == 0 && !untyped) {
                sentType = next;
                sentLength = 0;
            } else {
                sentLength = (sentLength << 8) | (next & 0xff);
            }
            if (++sentHeader == (untyped ? HEADER_LENGTH - 1 : HEADER_LENGTH)) {
                sentHeader = 0;
                sentLeft = sentLength - 4;
                sent();
            }
        }
    }

    private void sent() {
        if (untyped) {
            untyped = false;
            owe(false);
            return;
        }
        switch (sentType) {
            case 'Q', 'F' -> owe(true);
            case 'S' -> {
                if (!copying) {
                    owe(false);
                }
            }
            case 'c', 'f' -> copying = false;
            default -> {}
        }
    }

    private void owe(boolean toQuery) {
        if (toQuery && owed < Long.SIZE) {
            owedToQueries |= 1L << owed;
        }
        owed++;
    }

    /** The server owes nothing: whoever had the connection has settled it. */
    void settled() {
        requestUnderWay = false;
        failed = false;
        copying = false;
        owed = 0;
        owedToQueries = 0;
        answered = 0;
    }

    /** Whether there was a ReadyForQuery. */
    boolean isLoggedIn() {
        return loggedIn;
    }

    /** The length of the answer that is being read, by the lengths that its messages state. */
    long answered() {
        return answered;
    }

    /** Bytes were read from the server. */
    void read(byte[] bytes, int offset, int count) {
        int at = offset;
        int end = offset + count;
        if (sslAnswerDue && count > 0) {
            sslAnswerDue = false;
            at++;
        }
        while (at < end) {
            if (bodyLeft > 0) {
                int here = Math.min(bodyLeft, end - at);
                bodyLeft -= here;
                if (type == 'Z' && bodyLeft == 0) {
                    ended(bytes[at + here - 1]);
                }
                at += here;
            } else {
                byte next = bytes[at++];
                if (headerRead == 0) {
                    type = next;
                    length = 0;
                } else {
                    length = (length << 8) | (next & 0xff);
                }
                if (++headerRead == HEADER_LENGTH) {
                    headerRead = 0;
                    bodyLeft = length - 4;
                    answered += Integer.toUnsignedLong(length);
                    switch (type) {
                        case 'E' -> {
                            failed = true;
                            copying = false;
                        }
                        case 'N' -> listener.noticed();
                        case 'G' -> copyBegan();
                        default -> {}
                    }
                }
            }
        }
    }

    private void ended(byte transactionStatus) {
        boolean wasFailed = failed;
        failed = false;
        copying = false;
        loggedIn = true;
        answered = 0;
        owed = Math.max(0, owed - 1);
        owedToQueries >>>= 1;
        requestUnderWay = owed > 0;
        listener.requestEnded(wasFailed, transactionStatus);
        if (requestUnderWay) {
            listener.requestBegan(); // the server has it already
        }
    }

    /** The server ignores every Sync from here on until the copy's end, also those that are on their way. */
    private void copyBegan() {
        copying = true;
        boolean byQuery = (owedToQueries & 1) != 0;
        owed = byQuery ? 1 : 0;
        owedToQueries = owed;
    }

    private static int int32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }
}
