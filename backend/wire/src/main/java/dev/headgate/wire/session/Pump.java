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

    /** Bytes that a client may send ahead while it has no connection, beyond those that its message needs. */
    private static final int AHEAD = 8 * 1024;

    /** The same where the buffers of its domain are full. */
    private static final int LEAST_AHEAD = 1024;

    /** About how many bytes are taken by what is known of an answer that is owed. */
    private static final int OWED_BYTES = 100;

    private final Session session;

    /** The client's messages. */
    private final FrameReader in;

    private final Requests requests;
    private final Answers answers;

    /** Some of the server's input was not handled because there was no room for it. */
    private boolean answersHeld;

    /** The same of the client's. */
    private boolean requestsHeld;

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
        answersHeld = false;
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
                answersHeld = true;
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
        requestsHeld = false;
        takeFromClient();
        if (repeatWhatWasStale()) {
            takeFromClient(); // the server answers only at the Sync, which may be here already
        }
        Link to = session.tenure.link();
        if (to != null) {
            session.own.tellAlone(to);
            if (owesMost(to) && !in.isPassing()) {
                to.flush(); // a Sync would make it answer, but may be behind what is not read
            }
        }
    }

    private void takeFromClient() throws ProtocolException {
        while (session.life.isServing() && !session.retry.isPending() && (in.isOpen() || in.next())) {
            Link to = session.tenure.link();
            if (to != null && !hasRoom(to)) {
                requestsHeld = true;
                return;
            }
            if (in.isPassing()) {
                if (to == null || !in.passRest(to.out)) {
                    return;
                }
            } else if (to != null && owesMost(to)) {
                requestsHeld = true;
                return;
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

    /** The most bytes to take from the client at once: those that have a place to go. */
    int wanted() {
        Link to = session.tenure.link();
        if (to == null) {
            return Math.max(0, ahead() + requests.awaited() - in.buffered());
        }
        boolean going = hasRoom(to) && !owesMost(to) && in.buffered() < session.rules.room() + requests.awaited();
        return going ? session.rules.room() : 0;
    }

    /** How much a client without a connection may send ahead. Where buffers are full, it sends no more than one message. */
    private int ahead() {
        if (!session.isFull()) {
            return AHEAD;
        }
        return session.tenure.isAskedFor() ? 0 : LEAST_AHEAD;
    }

    private boolean hasRoom(Link to) {
        return to.out.size() < session.rules.room();
    }

    private boolean owesMost(Link to) {
        return to.pipeline.size() >= session.rules.owed();
    }

    /** Whether the server's bytes have a place to go. */
    boolean wantsServer() {
        return session.own.out().size() < session.rules.room();
    }

    /** Whether input that was held back now has room. */
    boolean canGoOn() {
        Link to = session.tenure.link();
        return (answersHeld && wantsServer()) || (requestsHeld && (to == null || (hasRoom(to) && !owesMost(to))));
    }

    /** About how many bytes are held of what the peers have sent and what the server gets, beyond what {@link Holdings} knows. */
    long held() {
        long held = Math.max(0, in.kept() - session.holdings.ofMessage());
        Link to = session.tenure.link();
        return to == null ? held : held + to.in.kept() + to.out.kept() + (long) to.pipeline.size() * OWED_BYTES;
    }
}
