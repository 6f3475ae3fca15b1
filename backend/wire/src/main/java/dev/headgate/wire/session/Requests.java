package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.Statement;
import dev.headgate.protocol.StatementCatalog;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a client's messages become for the server. Its statements have other names there, or are not prepared there yet;
 * what would do harm to others is said otherwise; and what a statement leaves behind is noted when it has been executed.
 *
 * <h2>Statements without a name</h2>
 *
 * Most drivers send a Parse without a name with every query, and parsing and planning are half of a short query's cost. Such
 * a text is kept prepared as if it had a name: its Parse is answered here where the connection knows it. The client must not
 * see a difference, so a text is sent as it came where its meaning depends on the moment (a literal such as {@code 'now'}),
 * while the session's settings are not known, where its domain says so, and where measurements say that it is faster so
 * ({@link dev.headgate.protocol.PlanChoice}).
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
    private final StatementCatalog catalog;

    /** How often the schema was seen to change. */
    private final AtomicLong schemas;

    /** The client's messages, or those that are sent again. */
    private FrameReader in;

    /** Of what is prepared at present; one object while nothing changes. */
    private Statement.Scope scope;

    /** Tells this session's statements apart that mean something else each time they are prepared. */
    private int moments;

    /** A client's statement, and in which round of messages it was used first. */
    private static final class Own {
        private static final long NEVER = -1;

        private Statement statement;
        private long usedIn = NEVER;

        Own(Statement statement) {
            this.statement = statement;
        }

        /** Whether the client may have been told before the present round what it gives. */
        boolean isDescribedBefore(long round) {
            if (usedIn == NEVER) {
                usedIn = round;
            }
            return usedIn != round;
        }
    }

    private final Map<String, Own> statements = new HashMap<>(0);
    private @Nullable Own unnamed;

    /** The unnamed statement is kept prepared under a name of ours. */
    private boolean unnamedIsKept;

    /** What executing a statement will leave behind, by its name; only where there is something. */
    private final Map<String, Effects> lasting = new HashMap<>(0);

    /** The same of portals. */
    private final Map<String, Effects> bound = new HashMap<>(0);

    private @Nullable Statement measured;
    private boolean measuredIsKept;
    private long measuredFrom;

    Requests(Session session, FrameReader in, StatementCatalog catalog, AtomicLong schemas) {
        this.session = session;
        this.in = in;
        this.catalog = catalog;
        this.schemas = schemas;
        this.scope = new Statement.Scope(schemas.get(), session.settings.scope(), 0);
    }

    /**
     * Takes the open message.
     *
     * @return false where it must wait: for more of its bytes, or for a connection
     */
    boolean take() throws ProtocolException {
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
     * A statement would give other columns now: whoever has not been told of the former ones means what it is now.
     *
     * @param round in which the server said so
     */
    void renew(Statement changed, long round) {
        Statement.Scope before = changed.scope();
        Statement now =
                Statement.of(changed.tail(), new Statement.Scope(schemas.get(), before.settings(), before.owner()));
        for (Own own : statements.values()) {
            renew(own, changed, now, round);
        }
        if (unnamed != null) {
            renew(unnamed, changed, now, round);
        }
    }

    private static void renew(Own own, Statement changed, Statement now, long round) {
        if (own.statement.equals(changed) && (own.usedIn == Own.NEVER || own.usedIn >= round)) {
            own.statement = now;
        }
    }

    private int note() {
        return session.retry.note(in, session.transaction.round());
    }

    // ---- texts

    private boolean query() throws ProtocolException {
        boolean whole = in.length() <= LOOKED_AT;
        if (!in.has(whole ? in.length() : PEEKED)) {
            return false;
        }
        Link to = session.toServer();
        if (to == null) {
            return false;
        }
        to.unnamed = null; // a simple query drops it
        unnamed = null;
        session.noteUnclean(!whole); // what it leaves is not known
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
    private boolean call() {
        if (!in.has(4)) {
            return false;
        }
        Link to = session.toServer();
        if (to == null) {
            return false;
        }
        session.noteUnclean(in.here() < 4 || !LARGE_OBJECTS.contains(FrameReader.int32(in.array(), in.position())));
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
            if (statements.containsKey(name)) {
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
            statements.clear();
            if (verbatim()) {
                to.wasDiscarded();
            }
        }
        effects.deallocated().forEach(statements::remove);
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
        if (!in.has(in.length())) {
            return false;
        }
        Link to = session.toServer();
        if (to == null) {
            return false;
        }
        note();
        byte[] bytes = in.array();
        int end = in.position() + in.length();
        int textAt = FrameReader.after(bytes, in.position(), end);
        boolean hasName = textAt > in.position() + 1;
        String name = hasName ? FrameReader.cString(bytes, in.position(), end) : "";
        Statement asked = statement(bytes, textAt, end);
        in.close();
        Effects effects = asked.effects();
        session.noteUnclean(asked.tail().length > LOOKED_AT);
        String instead = effects.isNothing() ? null : instead(effects, asked.sql());
        Statement meant = instead == null ? asked : Statement.of(instead, asked.scope());
        note(lasting, name, effects);
        if (verbatim()) {
            session.owe(to, Owed.of(Sent.PARSE));
            to.parse(name, meant);
        } else if (hasName) {
            parseNamed(to, name, meant);
        } else {
            parseUnnamed(to, meant);
        }
        return true;
    }

    private void parseNamed(Link to, String name, Statement meant) {
        Own before = statements.get(name);
        if (before != null) {
            // the server refuses a second one of the name; it is told one that it has
            String known = prepared(to, before.statement, Sent.OUR_PARSE, () -> {});
            session.owe(to, Owed.of(Sent.PARSE));
            to.parse(known, meant);
            return;
        }
        Own own = new Own(meant);
        statements.put(name, own);
        prepared(to, meant, Sent.PARSE, () -> statements.remove(name, own));
    }

    private Statement statement(byte[] bytes, int from, int to) {
        if (schemas.get() != scope.generation() || !session.settings.scope().equals(scope.settings())) {
            scope = new Statement.Scope(schemas.get(), session.settings.scope(), 0);
        }
        Statement found = catalog.of(bytes, from, to, scope);
        return found.effects().hasVolatileLiteral() || !session.settings.isCertain() ? ofThisMoment(found) : found;
    }

    /** It means what it meant when it was prepared: this time and no other. */
    private Statement ofThisMoment(Statement found) {
        Statement.Scope present = found.scope();
        return Statement.of(
                found.tail(),
                new Statement.Scope(
                        present.generation(), present.settings(), -(((long) session.id() << 32) | ++moments)));
    }

    /**
     * What to prepare for a statement that was prepared on another connection. The server reads its text by the settings of
     * the moment, so where they have changed it is another statement.
     */
    private Statement here(Link to, Statement statement) {
        Statement.Scope then = statement.scope();
        boolean same = then.owner() != 0
                || (session.settings.isCertain() && session.settings.scope().equals(then.settings()))
                || to.prepared.nameOf(statement) != null;
        return same ? statement : statement(statement.tail(), 0, statement.tail().length);
    }

    private void parseUnnamed(Link to, Statement meant) {
        Own own = new Own(meant);
        unnamed = own;
        unnamedIsKept = keeps(meant);
        measure(to, meant);
        if (unnamedIsKept) {
            prepared(to, meant, Sent.PARSE, () -> forgetUnnamed(own));
            return;
        }
        to.unnamed = meant;
        session.owe(to, Owed.of(Sent.PARSE, () -> {
            to.unnamed = null;
            forgetUnnamed(own);
        }));
        to.parse("", meant);
    }

    private void forgetUnnamed(Own failed) {
        if (failed.equals(unnamed)) {
            unnamed = null;
        }
    }

    private boolean keeps(Statement meant) {
        return session.rules.keepsUnnamed()
                && meant.effects().isNothing()
                && !meant.effects().hasVolatileLiteral()
                && meant.effects().statements() <= 1
                && session.settings.isCertain()
                && meant.choice().next();
    }

    private static void note(Map<String, Effects> of, String name, Effects effects) {
        if (!effects.isNothing()) {
            of.put(name, effects);
        } else if (!of.isEmpty()) {
            of.remove(name);
        }
    }

    /**
     * The server's name of a statement, which is prepared there from now on.
     *
     * @param as what the client is owed for it: an answer to its own Parse, or nothing
     * @param undo run if it fails or is skipped
     */
    private String prepared(Link to, Statement statement, Sent as, Runnable undo) {
        String known = to.prepared.nameOf(statement);
        if (known != null && as != Sent.PARSE) {
            return known;
        }
        long round = session.transaction.round();
        if (known != null && to.prepared.isCertain(statement, round)) {
            session.owe(to, Owed.of(Sent.ABSORBED_PARSE, undo));
            return known;
        }
        if (known != null) { // it may have failed in an earlier round that is not answered yet
            closeOurs(to, known);
        } else {
            to.prepared.makeRoomFor(statement).forEach(displaced -> closeOurs(to, displaced));
        }
        String name = to.prepared.add(statement, round);
        session.owe(
                to,
                Owed.parsing(
                        as,
                        () -> {
                            to.prepared.remove(statement, name);
                            undo.run();
                        },
                        () -> to.prepared.confirm(statement, name)));
        to.parse(name, statement);
        return name;
    }

    private void closeOurs(Link to, String name) {
        session.owe(to, Owed.of(Sent.OUR_CLOSE));
        to.closeStatement(name);
    }

    /**
     * The server's name of a client's statement, which is prepared there from now on; the name itself where there is none.
     */
    private String serversName(Link to, String name) {
        if (!name.isEmpty()) {
            Own own = statements.get(name);
            if (own == null) {
                return Link.isOurs(name) ? Link.nobodys(name) : name;
            }
            own.statement = here(to, own.statement);
            return prepared(to, own.statement, Sent.OUR_PARSE, () -> {});
        }
        Own mine = unnamed;
        if (mine == null) { // nor may the server have one, of another client's
            closeOurs(to, "");
            to.unnamed = null;
        } else if (unnamedIsKept) {
            mine.statement = here(to, mine.statement);
            return prepared(to, mine.statement, Sent.OUR_PARSE, () -> {});
        } else if (!isSame(mine.statement, to.unnamed)) {
            to.unnamed = mine.statement;
            session.owe(to, Owed.of(Sent.OUR_PARSE, () -> to.unnamed = null));
            to.parse("", mine.statement);
        }
        return name;
    }

    private static boolean isSame(Statement one, @Nullable Statement other) {
        return other != null && one.equals(other);
    }

    /** What the answer to a Bind or a Describe of that statement is held against. */
    private Owed using(Sent sent, String name, int noted) {
        Own own = name.isEmpty() ? (unnamedIsKept ? unnamed : null) : statements.get(name);
        return own == null
                ? Owed.of(sent)
                : Owed.using(sent, own.statement, noted, own.isDescribedBefore(session.transaction.round()));
    }

    private boolean bind() throws ProtocolException {
        if (!in.has(PEEKED)) {
            return false;
        }
        Link to = session.toServer();
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
        if (name.isEmpty() && unnamed != null) {
            measure(to, unnamed.statement);
        }
        String known = verbatim() ? name : serversName(to, name);
        if (!bound.isEmpty() || !lasting.isEmpty()) {
            Effects effects = lasting.getOrDefault(name, Effects.NONE);
            note(bound, FrameReader.cString(bytes, from, end), filled(effects, restAt, end));
        }
        session.owe(to, using(Sent.BIND, name, noted));
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
        if (!in.has(in.length())) {
            return false;
        }
        Link to = session.toServer();
        if (to == null) {
            return false;
        }
        int noted = note();
        if (isOfStatement() && !verbatim()) {
            String name = statementName();
            String known = serversName(to, name);
            session.owe(to, using(Sent.DESCRIBE, name, noted));
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
        if (!in.has(PEEKED)) {
            return false;
        }
        Link to = session.toServer();
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
        if (!in.has(in.length())) {
            return false;
        }
        Link to = session.toServer();
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
        Own was = name.isEmpty() ? null : statements.remove(name);
        if (was != null) {
            session.owe(to, Owed.of(Sent.ABSORBED_CLOSE, () -> statements.putIfAbsent(name, was)));
            in.close();
            return true;
        }
        if (name.isEmpty()) {
            unnamed = null;
            to.unnamed = null;
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

    // ---- what the server says

    /** Begins to measure an execution of the unnamed statement, where nothing else is under way. */
    private void measure(Link to, Statement of) {
        if (session.rules.keepsUnnamed() && to.pipeline.isSettled()) {
            measured = of;
            measuredIsKept = unnamedIsKept;
            measuredFrom = session.nanoTime();
        }
    }

    /** An EXECUTE has ended. */
    void executed() {
        Statement of = measured;
        if (of != null) {
            measured = null;
            of.choice().measured(measuredIsKept, session.nanoTime() - measuredFrom);
        }
    }

    /** An error came. */
    void failed() {
        measured = null;
    }

    /** The transaction has ended, and its portals with it. */
    void ended() {
        measured = null;
        bound.clear();
    }
}
