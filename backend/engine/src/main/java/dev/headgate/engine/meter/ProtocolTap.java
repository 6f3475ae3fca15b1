package dev.headgate.engine.meter;

/**
 * Follows the PostgreSQL frontend/backend protocol 3 in both directions of one connection and finds the requests in it: each
 * lasts from the first byte written while the server was idle to its ReadyForQuery. Reads only message headers, keeps no
 * bytes, copies nothing.
 *
 * <p>A backend message is a type byte, a length (four bytes, big-endian, counting itself) and the rest (PostgreSQL
 * documentation, "Message Formats"). Two cases differ: the single byte that answers an SSLRequest, and everything after a
 * positive answer. That is TLS, and is followed above the TLS layer instead.
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
    private boolean requestUnderWay;
    private boolean failed;
    private boolean sslAnswerDue;

    private byte type;
    private int headerRead;
    private int length;
    private int bodyLeft;

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
        }
        if (!requestUnderWay && count > 0 && bytes[offset] != 'X') {
            requestUnderWay = true;
            listener.requestBegan();
        }
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
                    failed |= type == 'E';
                    if (type == 'N') {
                        listener.noticed();
                    }
                }
            }
        }
    }

    private void ended(byte transactionStatus) {
        boolean wasFailed = failed;
        requestUnderWay = false;
        failed = false;
        listener.requestEnded(wasFailed, transactionStatus);
    }

    private static int int32(byte[] bytes, int at) {
        return (bytes[at] & 0xff) << 24
                | (bytes[at + 1] & 0xff) << 16
                | (bytes[at + 2] & 0xff) << 8
                | (bytes[at + 3] & 0xff);
    }
}
