package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What Headgate itself answers a client: the end of its login, ReadyForQuery, errors, and the answers to messages that the
 * server never gets. Owns the client's output; {@link Answers} forwards the server's messages through the same output. An
 * own answer never comes between the two halves of a server's message.
 */
final class OwnAnswers {

    private final Session.Client client;

    /** The client's messages. */
    private final FrameReader in;

    private FrameWriter out;
    private final Buffers buffers;
    private final Transaction transaction;
    private final SessionStatus status;

    OwnAnswers(
            Session.Client client,
            FrameReader in,
            FrameWriter out,
            Buffers buffers,
            Transaction transaction,
            SessionStatus status) {
        this.client = client;
        this.in = in;
        this.out = out;
        this.buffers = buffers;
        this.transaction = transaction;
        this.status = status;
    }

    /** The client's output. */
    FrameWriter out() {
        return out;
    }

    /** Drops whatever is written from now on. What is written already still goes to the client. */
    void discard() {
        out = new FrameWriter(buffers);
        out.discard();
    }

    /** Ends the login: sends the parameters that the server reports, the key for cancel requests, and ReadyForQuery. */
    void greet(Map<String, String> reported) {
        reported.forEach(out::reported);
        out.header('K', 8).int32(client.id()).int32(client.secret());
        ready();
    }

    void ready() {
        out.message('Z', transaction.status);
    }

    /** Answers the client's open message with an error. Handles the messages after it as the server does after an error. */
    void refuse(String sqlState, @Nullable String message, String detail) {
        Fields.error(out, "ERROR", sqlState, message, detail);
        status.erred();
        boolean simple = in.type() == 'Q' || in.type() == 'F';
        in.close();
        if (simple) {
            ready();
        } else {
            transaction.skippingToSync = true;
        }
    }

    /** Tells the client why its session ends. */
    void fatal(String sqlState, @Nullable String message) {
        Fields.error(out, "FATAL", sqlState, message, "");
    }

    /** Sends the answers that are due, unless a message of the server is half forwarded. */
    void tell(Link to) {
        if (!to.in.isPassing()) {
            to.pipeline.answerAbsorbed(out);
        }
    }

    /**
     * Sends the answers that are due if the server owes none, which could bring them along. By itself such an answer wakes the
     * client for nothing: it waits for the whole round. PostgreSQL too keeps it back until then.
     */
    void tellAlone(Link to) {
        if (!to.pipeline.awaitsServer()) {
            tell(to);
        }
    }
}
