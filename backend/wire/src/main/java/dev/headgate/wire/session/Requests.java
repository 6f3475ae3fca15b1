package dev.headgate.wire.session;

import dev.headgate.engine.meter.StatementText;
import dev.headgate.protocol.Effects;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.LongBytes;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.Statement;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Translates a client's messages for the server. The client's statements have other names there, or are not prepared there
 * yet ({@link ClientStatements}). Messages that would harm other clients are replaced, and the effects of executed statements on
 * the session are recorded ({@link LastingEffects}).
 *
 * <p>A session that keeps its connection has the server to itself: its statements are forwarded unchanged, under their own
 * names.
 */
final class Requests {

    /** The longest Parse message that is accepted. */
    private static final int MOST_STATEMENT = 16 * 1024 * 1024;

    /** The functions of large objects, which leave nothing beyond their transaction (PostgreSQL's pg_proc.dat). */
    private static final Set<Integer> LARGE_OBJECTS =
            Set.of(715, 764, 765, 767, 952, 953, 954, 955, 956, 957, 958, 964, 1004, 3170, 3171, 3172);

    /** The part that is read of other messages, and of a query that is too long to be checked whole. */
    private static final int PEEKED = 8 * 1024;

    private final Session session;
    private final ClientStatements statements;
    private final LastingEffects lasting;

    /** The client's messages, or the repeated ones. */
    private FrameReader in;

    /** Bytes of the present message's body that must have arrived before it can be handled. */
    private int awaited;

    /** The unnamed portal, if the message before this one bound it to a statement that is kept prepared. */
    private @Nullable Portal portal;

    /** The statement's name in the long Parse message that is being gathered. */
    private String gatheredName = "";

    Requests(Session session, FrameReader in, ClientStatements statements, LastingEffects lasting) {
        this.session = session;
        this.in = in;
        this.statements = statements;
        this.lasting = lasting;
    }

    /**
     * Handles the open message.
     *
     * @return false if it must wait for more of its bytes or for a connection
     */
    boolean take() throws ProtocolException {
        Portal bound = portal;
        portal = null;
        boolean taken = takeOpen(bound);
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

    private boolean takeOpen(@Nullable Portal bound) throws ProtocolException {
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
            case 'D' -> describe(bound);
            case 'E' -> execute();
            case 'C' -> close();
            case 'H' -> flush();
            case 'S' -> sync();
            case 'd', 'c', 'f' -> copy(type);
            case 'F' -> call();
            case 'X' -> {
                in.close();
                session.life.clientGone();
                yield true;
            }
            default -> throw new ProtocolException("a message of type '" + type + "' is nothing a client sends");
        };
    }

    /** Handles messages again that the server has not executed. */
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
     * The connection for a message, once this many of its bytes, or all of a shorter one, have arrived; null while the
     * message must wait for bytes or for the connection.
     */
    private @Nullable Link linkAndBytes(int bytes) throws ProtocolException {
        awaited = Math.min(bytes, in.left());
        if (session.holdings.gather(awaited)) {
            in.expect(awaited);
        }
        return in.has(bytes) ? session.leasing.toServer() : null;
    }

    private int note() {
        return session.retry.note(in, session.transaction.round());
    }

    // ---- texts

    private boolean query() throws ProtocolException {
        boolean whole = in.length() <= Statement.LOOKED_AT;
        Link to = linkAndBytes(whole ? in.length() : PEEKED);
        if (to == null) {
            return false;
        }
        statements.dropUnnamed(to); // as the server does on a simple query
        session.tenure.noteUnclean(!whole); // its effects are unknown
        int from = in.position();
        int end = textEnd(in.array(), from, from + in.here());
        to.executes(in.array(), from, end);
        Effects effects = lasting.carried(Effects.of(in.array(), from, end), to);
        if (effects.isNothing()) {
            session.tenure.owe(to, Owed.of(Sent.QUERY));
            in.pass(to.out);
            return true;
        }
        byte[] bytes = in.array();
        Function<Charset, String> sql = charset -> new String(bytes, from, end - from, charset);
        // byte for byte, whatever the client's encoding
        String instead = lasting.instead(effects, () -> sql.apply(StandardCharsets.ISO_8859_1));
        lasting.expect(effects, to);
        session.tenure.owe(to, lasting.querying(effects, () -> sql.apply(StandardCharsets.UTF_8), to, instead != null));
        if (instead == null) {
            in.pass(to.out);
        } else {
            to.out.message('Q', (instead + '\0').getBytes(StandardCharsets.ISO_8859_1));
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
     * Calls a function by its number, as clients do for large objects. The effects of any other function are unknown, so
     * the connection is reset afterwards.
     */
    private boolean call() throws ProtocolException {
        Link to = linkAndBytes(4);
        if (to == null) {
            return false;
        }
        session.tenure.noteUnclean(
                in.here() < 4 || !LARGE_OBJECTS.contains(FrameReader.int32(in.array(), in.position())));
        session.tenure.owe(to, Owed.of(Sent.QUERY));
        in.pass(to.out);
        return true;
    }

    /** Whether statements are forwarded unchanged. */
    private boolean verbatim() {
        return session.rules.keepsConnection();
    }

    // ---- prepared statements

    private boolean parse() throws ProtocolException {
        if (in.length() > MOST_STATEMENT) {
            throw new ProtocolException(
                    "54000", "a Parse message may have " + MOST_STATEMENT + " bytes here, and has " + in.length());
        }
        if (Statement.isLong(in.length())) {
            return parseLong();
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
        parse(to, name, asked);
        return true;
    }

    private boolean parseLong() throws ProtocolException {
        awaited = in.length();
        boolean _ = session.holdings.gather(awaited);
        if (!in.isGathering()) {
            if (!in.has(PEEKED)) {
                return false;
            }
            note();
            int end = in.position() + in.here();
            int textAt = FrameReader.after(in.array(), in.position(), end);
            gatheredName = FrameReader.cString(in.array(), in.position(), end);
            in.skip(textAt - in.position());
        }
        LongBytes tail = in.gather();
        Link to = tail.isComplete() ? session.leasing.toServer() : null;
        if (to == null) {
            return false;
        }
        in.close();
        parse(to, gatheredName, statements.meant(tail));
        return true;
    }

    private void parse(Link to, String name, Statement asked) throws ProtocolException {
        executes(to, asked.beginning());
        Effects effects = asked.effects();
        session.tenure.noteUnclean(asked.length() > Statement.LOOKED_AT);
        String instead = effects.isNothing() ? null : lasting.instead(effects, asked::sql);
        Statement meant = instead == null ? asked : Statement.of(instead, asked.scope());
        if (verbatim()) {
            lasting.prepared(name, effects);
            session.tenure.owe(to, Owed.of(Sent.PARSE));
            to.parse(name, meant);
        } else {
            statements.parse(to, name, meant, effects);
        }
    }

    /** The text ends at its zero byte, beyond which are types. */
    private static void executes(Link to, byte[] beginning) {
        int end = 0;
        while (end < Math.min(beginning.length, StatementText.MOST) && beginning[end] != 0) {
            end++;
        }
        to.executes(beginning, 0, end);
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
        byte[] text = statements.text(name);
        if (text != null) {
            executes(to, text);
        }
        Effects effects = verbatim() ? lasting.ofPrepared(name) : statements.effects(name);
        if (lasting.hasBound() || !effects.isNothing()) {
            Effects filled = lasting.carried(BoundSettings.filled(effects, text, bytes, restAt, end), to);
            lasting.bound(FrameReader.cString(bytes, from, end), filled);
            if (lasting.refuses(filled) && !lasting.refuses(effects)) { // its text did not show it
                bindRefusal(to, filled, bytes, from, statementAt);
                return true;
            }
        }
        Owed owed = statements.using(Sent.BIND, name, known, noted);
        session.tenure.owe(to, owed);
        if (owed.statement() != null && statementAt == from + 1 && in.here() == in.length()) {
            portal = Portal.of(owed.statement(), known, bytes, restAt, end);
        }
        to.out
                .header('B', statementAt - from + FrameWriter.sizeOf(known) + in.length() - (restAt - from))
                .write(bytes, from, statementAt - from)
                .cString(known);
        in.skip(restAt - from);
        in.passRest(to.out);
        return true;
    }

    /** Binds the client's portal to a statement that fails when it is executed, as the server would refuse it. */
    private void bindRefusal(Link to, Effects refused, byte[] bind, int portalAt, int portalEnd) {
        String name = statements.serversNameOfOurs(to, LastingEffects.refusal(refused));
        session.tenure.owe(to, Owed.of(Sent.BIND));
        to.out
                .header('B', portalEnd - portalAt + FrameWriter.sizeOf(name) + 6)
                .write(bind, portalAt, portalEnd - portalAt)
                .cString(name)
                .int16(0)
                .int16(0)
                .int16(0);
        in.close();
    }

    /** @param bound the unnamed portal; null if it may be any */
    private boolean describe(@Nullable Portal bound) throws ProtocolException {
        checkShort();
        Link to = linkAndBytes(in.length());
        if (to == null) {
            return false;
        }
        int noted = note();
        if (isOfStatement() && !verbatim()) {
            String name = statementName();
            String known = statements.serversName(to, name);
            session.tenure.owe(to, statements.using(Sent.DESCRIBE, name, known, noted));
            to.out.header('D', 1 + FrameWriter.sizeOf(known)).put('S').cString(known);
            in.close();
            return true;
        }
        Owed owed = bound != null && isOfUnnamedPortal() ? statements.describing(to, bound) : Owed.of(Sent.DESCRIBE);
        session.tenure.owe(to, owed);
        if (owed.sent() == Sent.ABSORBED_DESCRIBE) {
            in.close();
        } else {
            in.pass(to.out);
        }
        return true;
    }

    private boolean isOfUnnamedPortal() {
        return in.length() == 2 && in.array()[in.position()] == 'P' && in.array()[in.position() + 1] == 0;
    }

    private void checkShort() throws ProtocolException {
        if (in.length() > PEEKED) {
            throw new ProtocolException(
                    "54000",
                    "a message of type '" + in.type() + "' may have " + PEEKED + " bytes here, and has " + in.length());
        }
    }

    /** Whether a Describe or Close names a statement, not a portal. */
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
        Effects effects = lasting.hasBound()
                ? lasting.ofBound(FrameReader.cString(in.array(), in.position(), in.position() + in.here()))
                : null;
        if (effects == null) {
            session.tenure.owe(to, Owed.of(Sent.EXECUTE));
        } else {
            lasting.expect(effects, to);
            session.tenure.owe(to, lasting.executing(effects, to, lasting.dropsShared(effects)));
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
            if (isOfStatement() && lasting.hasPrepared()) {
                lasting.closed(statementName());
            }
            session.tenure.owe(to, Owed.of(Sent.CLOSE));
            in.pass(to.out);
            return true;
        }
        String name = statementName();
        Runnable undo = statements.drop(name);
        if (undo != null) {
            session.tenure.owe(to, Owed.of(Sent.ABSORBED_CLOSE, undo));
            in.close();
            return true;
        }
        if (name.isEmpty()) {
            statements.dropUnnamed(to);
        }
        session.tenure.owe(to, Owed.of(Sent.CLOSE));
        if (Link.isOurs(name)) { // the client does not know this name: to it, no such statement exists
            to.closeStatement(Link.nobodys(name));
            in.close();
        } else {
            in.pass(to.out);
        }
        return true;
    }

    // ---- the rest

    private boolean flush() {
        Link to = session.tenure.link();
        if (to == null) {
            in.close();
            return true;
        }
        if (session.leasing.toServer() == null) {
            return false;
        }
        in.pass(to.out);
        return true;
    }

    private boolean sync() {
        session.transaction.skippingToSync = false;
        Link to = session.tenure.link();
        if (to == null) {
            in.close();
            session.own.ready();
            return true;
        }
        if (session.leasing.toServer() == null) {
            return false;
        }
        note();
        if (!session.transaction.copyingIn) {
            session.tenure.owe(to, Owed.of(Sent.SYNC)); // the server ignores it during a copy
        }
        in.pass(to.out);
        return true;
    }

    private boolean copy(char type) {
        Link to = session.tenure.link();
        if (to == null) {
            in.close(); // the copy has failed; its remaining data is ignored, as the server does
            return true;
        }
        if (session.leasing.toServer() == null) {
            return false;
        }
        if (type != 'd') {
            if (session.transaction.copyingIn) {
                session.transaction.copyingIn = false;
            } else {
                // some clients send all of it at once; the server ignores it if there is no copy
                session.tenure.owe(to, Owed.of(Sent.COPY_END));
            }
        }
        in.pass(to.out);
        return true;
    }
}
