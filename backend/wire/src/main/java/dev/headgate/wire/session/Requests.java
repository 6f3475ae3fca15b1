package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.Statement;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client's messages become for the server. Its statements have other names there, or are not prepared there yet
 * ({@link ClientStatements}); what would do harm to others is said otherwise; and what a statement leaves behind is noted
 * when it has been executed.
 *
 * <h2>Sessions that keep their connection</h2>
 *
 * have the server to themselves: their statements go there under their own names, as they came.
 */
final class Requests {

    /** The longest Parse message that is taken. */
    private static final int MOST_STATEMENT = 16 * 1024 * 1024;

    /** The functions of large objects, which leave nothing beyond their transaction (PostgreSQL's pg_proc.dat). */
    private static final Set<Integer> LARGE_OBJECTS =
            Set.of(715, 764, 765, 767, 952, 953, 954, 955, 956, 957, 958, 964, 1004, 3170, 3171, 3172);

    /** So much of a query is looked at for what it leaves behind; after a longer one the connection is reset. */
    private static final int LOOKED_AT = 1024 * 1024;

    /** So much of other messages is looked at, and of a query that is too long to be looked at whole. */
    private static final int PEEKED = 8 * 1024;

    private final Session session;
    private final ClientStatements statements;

    /** The client's messages, or those that are sent again. */
    private FrameReader in;

    /** Bytes of the present message's body that must be here before it can be dealt with. */
    private int awaited;

    /** What executing a statement will leave behind, by its name; only where there is something. */
    private final Map<String, Effects> lasting = new HashMap<>(0);

    /** The same of portals. */
    private final Map<String, Effects> bound = new HashMap<>(0);

    Requests(Session session, FrameReader in, ClientStatements statements) {
        this.session = session;
        this.in = in;
        this.statements = statements;
    }

    /**
     * Takes the open message.
     *
     * @return false where it must wait: for more of its bytes, or for a connection
     */
    boolean take() throws ProtocolException {
        boolean taken = takeOpen();
        if (taken) {
            awaited = 0;
            session.holdings.gathered();
        }
        return taken;
    }

    /** How much of the open message must be here at once; 0 where it need not. */
    int awaited() {
        return awaited;
    }

    private boolean takeOpen() throws ProtocolException {
        char type = in.type();
        if (session.transaction.skippingToSync && type != 'S' && type != 'X') {
            in.close(); // as the server does after an error
            return true;
        }
        if (session.transaction.copyingIn && "dcfHSX".indexOf(type) < 0) {
            throw new ProtocolException("a message of type '" + type + "' is no data, and the server copies");
        }
        return switch (type) {
            case 'Q' -> query();
            case 'P' -> parse();
            case 'B' -> bind();
            case 'D' -> describe();
            case 'E' -> execute();
            case 'C' -> close();
            case 'H' -> flush();
            case 'S' -> sync();
            case 'd', 'c', 'f' -> copy(type);
            case 'F' -> call();
            case 'X' -> {
                in.close();
                session.leave(Session.GRACE_NANOS);
                yield true;
            }
            default -> throw new ProtocolException("a message of type '" + type + "' is nothing a client sends");
        };
    }

    /** Takes messages that were taken before, and that the server has not executed. */
    void repeat(byte[] messages) throws ProtocolException {
        FrameReader client = in;
        FrameReader again = new FrameReader();
        again.feed(messages, 0, messages.length);
        in = again;
        session.retry.repeats(true);
        try {
            while (again.next()) {
                take();
            }
        } finally {
            session.retry.repeats(false);
            in = client;
        }
    }

    /**
     * The connection for a message of which so many bytes are here, or all of it where it is shorter; null where it must
     * wait for the bytes or for the connection.
     */
    private @Nullable Link linkAndBytes(int bytes) throws ProtocolException {
        awaited = Math.min(bytes, in.left());
        session.holdings.gather(awaited);
        return in.has(bytes) ? session.toServer() : null;
    }

    private int note() {
        return session.retry.note(in, session.transaction.round());
    }

    // ---- texts

    private boolean query() throws ProtocolException {
        boolean whole = in.length() <= LOOKED_AT;
        Link to = linkAndBytes(whole ? in.length() : PEEKED);
        if (to == null) {
            return false;
        }
        statements.dropUnnamed(to); // as a simple query does
        session.tenure().noteUnclean(!whole); // what it leaves is not known
        int from = in.position();
        int end = textEnd(in.array(), from, from + in.here());
        Effects effects = Effects.of(in.array(), from, end);
        if (effects.isNothing()) {
            session.owe(to, Owed.of(Sent.QUERY));
            in.pass(to.out);
            return true;
        }
        String instead = instead(effects, new String(in.array(), from, end - from, StandardCharsets.UTF_8));
        expect(effects);
        session.owe(to, Owed.executing(Sent.QUERY, () -> executed(effects, to), instead == null ? null : tag(effects)));
        if (instead == null) {
            in.pass(to.out);
        } else {
            to.out.message('Q', instead);
            in.close();
        }
        return true;
    }

    /** Without the zero bytes at its end. */
    private static int textEnd(byte[] bytes, int from, int to) {
        int end = to;
        while (end > from && bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    /**
     * A function by its number, as the interfaces to large objects call theirs. Any other may leave what is not known, so
     * the connection is reset after it.
     */
    private boolean call() throws ProtocolException {
        Link to = linkAndBytes(4);
        if (to == null) {
            return false;
        }
        session.tenure()
                .noteUnclean(in.here() < 4 || !LARGE_OBJECTS.contains(FrameReader.int32(in.array(), in.position())));
        session.owe(to, Owed.of(Sent.QUERY));
        in.pass(to.out);
        return true;
    }

    /** Before a statement is sent that sets something or binds the client to its connection. */
    private void expect(Effects effects) {
        if (!refuses(effects)) {
            session.settings.sent(effects);
            effects.pinnedBy().ifPresent(session::pin);
        }
    }

    /**
     * What the server is told in place of a text that would do harm to others: that drops the statements which clients
     * share, or binds a connection where the domain refuses that. The server answers it in its turn, and a refusal ends
     * the client's transaction as any error does. Null for all other texts.
     */
    private @Nullable String instead(Effects effects, String sql) {
        if (refuses(effects)) {
            return """
                    DO $headgate$BEGIN RAISE EXCEPTION USING ERRCODE = '0A000',
                    MESSAGE = '%s is refused: it belongs to a connection, and this domain shares its connections by transactions',
                    HINT = 'Use a domain in session mode for it, or one that keeps such clients on their connection.'; END$headgate$""".formatted(effects.pinnedBy().orElseThrow());
        }
        return !verbatim() && drops(effects)
                ? Effects.replaced(sql, one -> deallocation(one, effects.statements() == 1))
                : null;
    }

    private static boolean drops(Effects effects) {
        return effects.deallocates() || !effects.deallocated().isEmpty();
    }

    /** Whether statements go to the server as they came. */
    private boolean verbatim() {
        return session.rules.keepsConnection();
    }

    /** What is as if it dropped prepared statements, and drops nobody's. */
    private Optional<String> deallocation(Effects one, boolean alone) {
        if (one.resetsAll()) {
            return alone ? Optional.of("DISCARD TEMP") : Optional.empty(); // which the server refuses among others
        }
        if (one.deallocates()) {
            return Optional.of("DISCARD PLANS");
        }
        return one.deallocated().stream().findAny().flatMap(name -> {
            if (statements.has(name)) {
                return Optional.of("DISCARD PLANS");
            }
            return Link.isOurs(name) ? Optional.of("DEALLOCATE \"" + Link.nobodys(name) + '"') : Optional.empty();
        });
    }

    /** What the client is told of a statement in place of which another one was executed; null for what the server says. */
    private @Nullable String tag(Effects effects) {
        if (refuses(effects) || effects.statements() > 1) {
            return null;
        }
        return effects.resetsAll() ? "DISCARD ALL" : effects.deallocates() ? "DEALLOCATE ALL" : "DEALLOCATE";
    }

    /** A statement has been executed: what it left behind is the client's, the settings once the transaction ends. */
    private void executed(Effects effects, Link to) {
        if (refuses(effects)) {
            return;
        }
        if (effects.deallocates()) {
            statements.dropNamed();
            if (verbatim()) {
                to.wasDiscarded();
            }
        }
        effects.deallocated().forEach(statements::drop);
        session.settings.executed(effects, to);
    }

    private boolean refuses(Effects effects) {
        return effects.pinnedBy().isPresent() && session.rules.refusesState() && !session.rules.keepsConnection();
    }

    // ---- prepared statements

    private boolean parse() throws ProtocolException {
        if (in.length() > MOST_STATEMENT) {
            throw new ProtocolException(
                    "54000", "a Parse message may have " + MOST_STATEMENT + " bytes here, and has " + in.length());
        }
        Link to = linkAndBytes(in.length());
        if (to == null) {
            return false;
        }
        note();
        byte[] bytes = in.array();
        int end = in.position() + in.length();
        int textAt = FrameReader.after(bytes, in.position(), end);
        boolean hasName = textAt > in.position() + 1;
        String name = hasName ? FrameReader.cString(bytes, in.position(), end) : "";
        Statement asked = statements.meant(bytes, textAt, end);
        in.close();
        Effects effects = asked.effects();
        session.tenure().noteUnclean(asked.tail().length > LOOKED_AT);
        String instead = effects.isNothing() ? null : instead(effects, asked.sql());
        Statement meant = instead == null ? asked : Statement.of(instead, asked.scope());
        note(lasting, name, effects);
        if (verbatim()) {
            session.owe(to, Owed.of(Sent.PARSE));
            to.parse(name, meant);
        } else {
            statements.parse(to, name, meant);
        }
        return true;
    }

    private static void note(Map<String, Effects> of, String name, Effects effects) {
        if (!effects.isNothing()) {
            of.put(name, effects);
        } else if (!of.isEmpty()) {
            of.remove(name);
        }
    }

    private boolean bind() throws ProtocolException {
        Link to = linkAndBytes(PEEKED);
        if (to == null) {
            return false;
        }
        int noted = note();
        byte[] bytes = in.array();
        int from = in.position();
        int end = from + in.here();
        int statementAt = FrameReader.after(bytes, from, end);
        int restAt = FrameReader.after(bytes, statementAt, end);
        String name = restAt == statementAt + 1 ? "" : FrameReader.cString(bytes, statementAt, end);
        if (name.isEmpty()) {
            statements.measure(to);
        }
        String known = verbatim() ? name : statements.serversName(to, name);
        if (!bound.isEmpty() || !lasting.isEmpty()) {
            Effects effects = lasting.getOrDefault(name, Effects.NONE);
            note(bound, FrameReader.cString(bytes, from, end), filled(effects, restAt, end));
        }
        session.owe(to, statements.using(Sent.BIND, name, noted));
        to.out
                .header('B', statementAt - from + FrameWriter.sizeOf(known) + in.length() - (restAt - from))
                .write(bytes, from, statementAt - from)
                .cString(known);
        in.skip(restAt - from);
        in.passRest(to.out);
        return true;
    }

    /** With the values of its parameters, which are those of the Bind message from there on. */
    private Effects filled(Effects effects, int from, int end) throws ProtocolException {
        if (effects.parameters().isEmpty()) {
            return effects;
        }
        byte[] body = in.array();
        int[] at = parameters(body, from, end);
        Map<String, String> all = new LinkedHashMap<>(effects.settings());
        effects.parameters().forEach((name, number) -> {
            int begins = number <= at.length ? at[number - 1] : 0;
            int length = begins == 0 ? -1 : FrameReader.int32(body, begins - 4);
            all.put(
                    name,
                    length < 0
                            ? ""
                            : SettingsText.command(name, new String(body, begins, length, StandardCharsets.UTF_8)));
        });
        return effects.with(all);
    }

    /**
     * Where the values of a Bind message's parameters begin, each behind its length; 0 for NULL.
     *
     * @param from where the parameters' formats are
     * @throws ProtocolException if they are not all here
     */
    private static int[] parameters(byte[] bind, int from, int end) throws ProtocolException {
        int at = from + 2 + 2 * (from + 2 <= end ? FrameReader.int16(bind, from) : 0);
        if (at + 2 <= end) {
            int[] begins = new int[FrameReader.int16(bind, at)];
            at += 2;
            for (int i = 0; i < begins.length && at + 4 <= end; i++) {
                int length = FrameReader.int32(bind, at);
                at += 4;
                begins[i] = length < 0 ? 0 : at;
                if (length > end - at) {
                    break;
                }
                at += Math.max(0, length);
                if (i == begins.length - 1) {
                    return begins;
                }
            }
        }
        throw new ProtocolException("54000", "the parameters of set_config are too long here");
    }

    private boolean describe() throws ProtocolException {
        checkShort();
        Link to = linkAndBytes(in.length());
        if (to == null) {
            return false;
        }
        int noted = note();
        if (isOfStatement() && !verbatim()) {
            String name = statementName();
            String known = statements.serversName(to, name);
            session.owe(to, statements.using(Sent.DESCRIBE, name, noted));
            to.out.header('D', 1 + FrameWriter.sizeOf(known)).put('S').cString(known);
            in.close();
        } else {
            session.owe(to, Owed.of(Sent.DESCRIBE));
            in.pass(to.out);
        }
        return true;
    }

    private void checkShort() throws ProtocolException {
        if (in.length() > PEEKED) {
            throw new ProtocolException(
                    "54000",
                    "a message of type '" + in.type() + "' may have " + PEEKED + " bytes here, and has " + in.length());
        }
    }

    /** Whether a Describe or a Close is of a statement, not of a portal. */
    private boolean isOfStatement() {
        return in.length() > 1 && in.array()[in.position()] == 'S';
    }

    private String statementName() throws ProtocolException {
        return FrameReader.cString(in.array(), in.position() + 1, in.position() + in.length());
    }

    private boolean execute() throws ProtocolException {
        Link to = linkAndBytes(PEEKED);
        if (to == null) {
            return false;
        }
        note();
        Effects effects = bound.isEmpty()
                ? null
                : bound.get(FrameReader.cString(in.array(), in.position(), in.position() + in.here()));
        if (effects == null) {
            session.owe(to, Owed.of(Sent.EXECUTE));
        } else {
            expect(effects);
            boolean another = drops(effects) && !verbatim();
            session.owe(to, Owed.executing(Sent.EXECUTE, () -> executed(effects, to), another ? tag(effects) : null));
        }
        in.pass(to.out);
        return true;
    }

    private boolean close() throws ProtocolException {
        checkShort();
        Link to = linkAndBytes(in.length());
        if (to == null) {
            return false;
        }
        note();
        if (!isOfStatement() || verbatim()) {
            session.owe(to, Owed.of(Sent.CLOSE));
            in.pass(to.out);
            return true;
        }
        String name = statementName();
        Runnable undo = statements.drop(name);
        if (undo != null) {
            session.owe(to, Owed.of(Sent.ABSORBED_CLOSE, undo));
            in.close();
            return true;
        }
        if (name.isEmpty()) {
            statements.dropUnnamed(to);
        }
        session.owe(to, Owed.of(Sent.CLOSE));
        if (Link.isOurs(name)) { // which it does not know of: it closes one that is not there
            to.closeStatement(Link.nobodys(name));
            in.close();
        } else {
            in.pass(to.out);
        }
        return true;
    }

    // ---- the rest

    private boolean flush() {
        Link to = session.link();
        if (to == null) {
            in.close();
            return true;
        }
        if (session.toServer() == null) {
            return false;
        }
        in.pass(to.out);
        return true;
    }

    private boolean sync() {
        session.transaction.skippingToSync = false;
        Link to = session.link();
        if (to == null) {
            in.close();
            session.ready();
            return true;
        }
        if (session.toServer() == null) {
            return false;
        }
        note();
        if (!session.transaction.copyingIn) {
            session.owe(to, Owed.of(Sent.SYNC)); // within a copy the server ignores it
        }
        in.pass(to.out);
        return true;
    }

    private boolean copy(char type) {
        Link to = session.link();
        if (to == null) {
            in.close(); // the copy has failed and is over; the rest of it means nothing, as at the server
            return true;
        }
        if (session.toServer() == null) {
            return false;
        }
        if (type != 'd') {
            if (session.transaction.copyingIn) {
                session.transaction.copyingIn = false;
            } else {
                // some send it all at once; where nothing is copied, the server takes no notice of it
                session.owe(to, Owed.of(Sent.COPY_END));
            }
        }
        in.pass(to.out);
        return true;
    }

    /** The transaction has ended, and its portals with it. */
    void transactionEnded() {
        bound.clear();
    }
}
