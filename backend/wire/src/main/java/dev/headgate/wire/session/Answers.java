package dev.headgate.wire.session;

import dev.headgate.protocol.Columns;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.Statement;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Translates a server's messages for the client. Nearly all are forwarded unchanged. Answers to Headgate's own messages are
 * dropped, and what messages tell about the session is recorded.
 */
final class Answers {

    /** The part of an error or a parameter that is read. */
    private static final int PEEKED = 8 * 1024;

    /** The part of a CommandComplete that is read. */
    private static final int TAG = 64;

    private final Session session;
    private final LastingEffects lasting;
    private final ClientStatements statements;
    private final AtomicLong schemas;

    /**
     * The ParameterDescription of a statement that may be stale: the next message of the server tells, and the client must not get
     * two of them; null if there is none.
     */
    private byte @Nullable [] parameters;

    Answers(Session session, LastingEffects lasting, ClientStatements statements, AtomicLong schemas) {
        this.session = session;
        this.lasting = lasting;
        this.statements = statements;
        this.schemas = schemas;
    }

    /**
     * Handles the open message.
     *
     * @return false if more of it must arrive first
     */
    boolean take(Link link) throws ProtocolException {
        session.own.tell(link); // what stands before this message
        FrameReader from = link.in;
        Transaction transaction = session.transaction;
        FrameWriter client = session.own.out();
        char type = from.type();
        boolean shown = !session.retry.isPending();
        String tag = null;
        byte[] error = null;
        switch (type) {
            case 'D', 'd' -> transaction.executed = true;
            case 'A', 'N' -> shown = true;
            case 'S' -> {
                if (!from.has(PEEKED)) {
                    return false;
                }
                reported(link, from.peek(PEEKED));
            }
            case 'Z' -> {
                if (!from.has(1)) {
                    return false;
                }
                if (from.length() != 1) {
                    throw new ProtocolException("the server sent a ReadyForQuery of " + from.length() + " bytes");
                }
                transaction.status = from.array()[from.position()];
                shown = link.pipeline.answered(type);
                transaction.executed = false;
                ended(link);
            }
            case 'G' -> {
                if (!from.has(from.length())) {
                    return false;
                }
                Owed head = link.pipeline.head();
                try {
                    transaction.copyingIn = !link.pipeline.copies();
                } catch (ProtocolException notData) {
                    from.pass(client); // it tells the client what it has begun
                    throw notData;
                }
                if (head != null && head.sent() == Sent.EXECUTE && link.pipeline.rounds() == 0) {
                    transaction.began(true); // the Sync that was sent with it is ignored
                }
            }
            case 'C' -> {
                if (!from.has(TAG)) {
                    return false;
                }
                Owed head = link.pipeline.head();
                tag = head == null ? null : head.tag();
                shown = link.pipeline.answered(type);
                completed(link, head, text(from, TAG));
            }
            case 'E' -> {
                if (!from.has(PEEKED)) {
                    return false;
                }
                Fields.Failure failure = failure(from);
                error = named(from, failure, link.pipeline.head());
                shown = !failed(link, failure);
                if (shown) {
                    session.status().erred();
                }
            }
            case 't' -> {
                if (mayBeRepeated(link.pipeline.head()) && from.length() <= PEEKED) {
                    if (!from.has(from.length())) {
                        return false;
                    }
                    parameters = from.peek(PEEKED);
                    from.close();
                    return true;
                }
            }
            case 'T', 'n' -> {
                Owed head = link.pipeline.head();
                if (head != null && head.told() != null && from.length() <= Portal.MOST_COLUMNS) {
                    if (!from.has(from.length())) {
                        return false;
                    }
                    head.told().accept(Columns.of(from));
                }
                shown = link.pipeline.answered(type) && shown;
            }
            case 'W' -> throw new ProtocolException("0A000", "replication is not relayed");
            default -> shown = link.pipeline.answered(type) && shown;
        }
        tellParameters(type, shown);
        if (!shown) {
            from.close();
        } else if (tag != null) {
            from.close();
            client.message('C', tag);
        } else if (error != null) {
            from.close();
            client.message('E', error);
        } else {
            from.pass(client);
        }
        session.own.tell(link);
        return true;
    }

    private static boolean mayBeRepeated(@Nullable Owed head) {
        return head != null && head.statement() != null && head.retryAt() >= 0 && !head.described();
    }

    /** Forwards the ParameterDescription that waits, unless the message after it shows that it is of a stale statement. */
    private void tellParameters(char type, boolean shown) {
        byte[] waiting = parameters;
        if (waiting != null && type != 'S' && type != 'N' && type != 'A') { // those may come at any time
            parameters = null;
            if (shown) {
                session.own.out().message('t', waiting);
            }
        }
    }

    private static String text(FrameReader from, int most) {
        int length = Math.min(most, from.here());
        int end = from.position() + length;
        while (end > from.position() && from.array()[end - 1] == 0) {
            end--;
        }
        return new String(from.array(), from.position(), end - from.position(), StandardCharsets.ISO_8859_1);
    }

    /** Forwards a ParameterStatus message to the client and records the value for the client and for this connection. */
    private void reported(Link link, byte[] body) throws ProtocolException {
        int valueAt = FrameReader.after(body, 0, body.length);
        String name = FrameReader.cString(body, 0);
        String value = FrameReader.cString(body, valueAt);
        if (name.equals("application_name")) {
            session.renamed(value);
        }
        session.settings.reported(name, value, link);
    }

    /** @param head what the server has executed, whose effects are recorded */
    private void completed(Link link, @Nullable Owed head, String tag) {
        session.transaction.executed = true;
        session.settings.completed(tag, link);
        if (tag.startsWith("ALTER ") || tag.startsWith("DROP ")) {
            schemas.incrementAndGet();
            session.transaction.changedSchema = true;
        } else if (tag.startsWith("CREATE ")) {
            session.transaction.changedSchema = true; // and the change may be rolled back
        }
        if (head != null && head.sent() == Sent.EXECUTE) {
            statements.executed();
        }
    }

    /**
     * Records an error.
     *
     * @return whether to hide it from the client, because the failed request is sent again
     */
    private boolean failed(Link link, Fields.Failure failure) throws ProtocolException {
        Owed head = link.pipeline.head();
        Statement statement = head == null ? null : head.statement();
        statements.measureNoMore();
        session.tenure.noteLastWords(failure.isLast());
        Retry.Stale stale = statement == null ? Retry.Stale.NO : Retry.stale(failure);
        if (head != null && statement != null && stale != Retry.Stale.NO) {
            boolean known = head.described() && stale != Retry.Stale.GONE;
            if (stale
                    == Retry.Stale
                            .OF_OTHER_COLUMNS) { // later Parse messages prepare another statement; clients that know
                // this one get its error, as from the server
                long generation = statement.scope().generation();
                schemas.compareAndSet(generation, generation + 1);
                statements.renew(statement, lastRound(link));
            } else if (!known) {
                link.lost(statement);
            }
            if (!known
                    && session.transaction.isFresh()
                    && link.pipeline.isLastBatch()
                    && session.retry.isPossible(head.retryAt(), lastRound(link))) {
                repeatAfterSync(link, head.retryAt());
                return true;
            }
        }
        session.settings.failed();
        session.transaction.copyingIn = false;
        link.pipeline.answered('E');
        session.tenure.noteUnclean(link.pipeline.mayOweMore()); // its reset finds out
        return session.retry.isPending();
    }

    /** Sends the batch again from a stale statement on, once the server has finished it. */
    private void repeatAfterSync(Link link, int from) {
        session.retry.await(from);
        if (!link.pipeline.retract()) {
            link.out.message('S');
        }
        session.transaction.synced();
    }

    /** The round that the server is in: the previous one if the current one has been sent completely. */
    private long lastRound(Link link) {
        return session.transaction.round() - link.pipeline.rounds();
    }

    /**
     * The error in which a statement has the client's name, not ours. Only of errors whose message has no other text of the client, which
     * could look like a name of ours.
     *
     * @return null if it is forwarded as it is
     */
    private static byte @Nullable [] named(FrameReader from, Fields.Failure failure, @Nullable Owed head) {
        Owed.Names names = head == null ? null : head.names();
        boolean tellsTheName = switch (failure.state()) {
            case "42P05", "26000" -> true;
            case "08P01" -> failure.routine().equals("exec_bind_message"); // a wrong number of parameters
            default -> false;
        };
        // a name with a byte that is not UTF-8 is not kept as the client wrote it
        return names == null
                        || !tellsTheName
                        || from.here() < from.length()
                        || names.clients().indexOf('\ufffd') >= 0
                ? null
                : Fields.renamed(
                        from.array(), from.position(), from.position() + from.here(), names.servers(), names.clients());
    }

    private static Fields.Failure failure(FrameReader from) {
        return Fields.failure(from.array(), from.position(), from.position() + from.here());
    }

    private void ended(Link link) {
        Transaction transaction = session.transaction;
        session.settings.ready(transaction.status == 'I', link);
        if (transaction.status == 'I') {
            if (transaction.changedSchema) {
                transaction.changedSchema = false;
                schemas.incrementAndGet(); // others may have prepared against uncommitted or rolled back changes
            }
            session.status().transactionEnded();
            statements.measureNoMore();
            if (link.pipeline.isSettled()) { // else portals of the next transaction are bound already
                lasting.transactionEnded();
            }
        }
        session.holdings.dropAnswered(link);
        if (link.pipeline.isSettled()) {
            lasting.settled();
        }
    }
}
