package dev.headgate.wire.session;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;

/**
 * Moves messages both ways: takes what the peers have sent, as far as there is room for the output, and has {@link Requests}
 * and {@link Answers} translate each message. Passes the rest of a long message on without looking at it. Never waits: what
 * cannot be handled yet stays in the peer's reader.
 */
final class Pump {

    /** While the server owes so many answers, the client is not read. */
    private static final int MOST_OWED = 20_000;

    private final Session session;

    /** The client's messages. */
    private final FrameReader in;

    private final Requests requests;
    private final Answers answers;

    /** Some input was not handled because there was no room for the output. */
    private boolean heldBack;

    Pump(Session session, FrameReader in, Requests requests, Answers answers) {
        this.session = session;
        this.in = in;
        this.requests = requests;
        this.answers = answers;
    }

    /**
     * Forwards what the server has sent, as far as the client's output has room. Called first in every turn.
     *
     * @throws ProtocolException if the server violates the protocol
     */
    void fromServer() throws ProtocolException {
        heldBack = false;
        Tenure tenure = session.tenure;
        for (Link from = tenure.link(); from != null; from = tenure.link()) {
            FrameWriter out = session.own.out();
            if (from.in.isPassing()) {
                if (!from.in.passRest(out)) {
                    return;
                }
                session.own.tell(from);
                continue;
            }
            if (!from.in.isOpen() && !from.in.next()) {
                return;
            }
            if (out.size() >= session.rules.room()) {
                heldBack = true;
                return;
            }
            Errand ours = tenure.errand();
            if (ours != null) {
                switch (ours.take(from.in)) {
                    case NEEDS_BYTES -> {
                        return;
                    }
                    case DONE -> tenure.errandEnded(ours);
                    case TAKEN -> {}
                }
            } else if (!answers.take(from)) {
                return;
            }
        }
    }

    /**
     * Forwards what the client has sent, as far as the server's output has room. Repeats a stale request when the server has
     * finished it.
     *
     * @throws ProtocolException if the client violates the protocol or a limit
     */
    void fromClient() throws ProtocolException {
        takeFromClient();
        if (repeatWhatWasStale()) {
            takeFromClient(); // the server answers only at the Sync, which may be here already
        }
        Link to = session.tenure.link();
        if (to != null) {
            session.own.tellAlone(to);
        }
    }

    private void takeFromClient() throws ProtocolException {
        while (session.life.isServing() && !session.retry.isPending() && (in.isOpen() || in.next())) {
            Link to = session.tenure.link();
            if (to != null && to.out.size() >= session.rules.room()) {
                heldBack = true;
                return;
            }
            if (in.isPassing()) {
                if (to == null || !in.passRest(to.out)) {
                    return;
                }
            } else if (!requests.take() && in.isOpen()) { // a refused message is closed
                return;
            }
        }
    }

    private boolean repeatWhatWasStale() throws ProtocolException {
        Link to = session.tenure.link();
        if (to == null || !session.retry.isPending() || !to.pipeline.isSettled() || session.tenure.isCancelling()) {
            return false;
        }
        requests.repeat(session.retry.takePending());
        return true;
    }

    // ---- backpressure

    /** Whether the client's bytes have a place to go. */
    boolean wantsClient() {
        Link to = session.tenure.link();
        return in.buffered() < session.rules.room() + requests.awaited()
                && (to == null || (to.out.size() < session.rules.room() && to.pipeline.size() < MOST_OWED));
    }

    /** Whether the server's bytes have a place to go. */
    boolean wantsServer() {
        return session.own.out().size() < session.rules.room();
    }

    /** Whether input that was held back now has room. */
    boolean canGoOn() {
        Link to = session.tenure.link();
        return heldBack && wantsServer() && (to == null || to.out.size() < session.rules.room());
    }
}
