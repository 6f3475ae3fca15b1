package dev.headgate.wire;

import dev.headgate.wire.Directory.Domain;
import dev.headgate.wire.protocol.Effects;
import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.Pipeline.Sent;
import dev.headgate.wire.protocol.Statement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a client's requests are for the server. Its statements have other names there, or are not prepared there yet; what
 * would do harm to others is said otherwise; and what a statement leaves behind is known when it has been executed.
 *
 * <p>Requests are made by whoever has the session's turn; {@link #failed}, {@link #completed} and {@link #ended} are said
 * with its exchange held.
 */
final class Requests {

    /** The longest Parse message that is taken. */
    private static final int MOST_STATEMENT = 16 * 1024 * 1024;

    /** The functions of large objects, which leave nothing beyond their transaction (PostgreSQL's pg_proc.dat). */
    private static final Set<Integer> LARGE_OBJECTS =
            Set.of(715, 764, 765, 767, 952, 953, 954, 955, 956, 957, 958, 964, 1004, 3170, 3171, 3172);

    /** What the server says of a statement whose result has changed. */
    private static final String CHANGED = "0A000";

    /** And of one that is not there. */
    private static final String GONE = "26000";

    /** So much of a query is looked at for what it leaves behind; after a longer one the connection is reset. */
    private static final int LOOKED_AT = 1024 * 1024;

    /** A query that is as short is looked at where it is; as short is everything else that is looked at, too. */
    static final int PEEKED = 8 * 1024;

    private final Session session;
    private final FrameReader in;
    private final Domain domain;
    private final ClientSettings settings;

    /** How often the schema was seen to change. */
    private final AtomicLong schemas;

    private final Map<String, Statement> statements = new ConcurrentHashMap<>();
    private volatile @Nullable Statement unnamed;
    /** What executing a statement will leave behind, by its name; only where there is something. */
    private final Map<String, Effects> lasting = new HashMap<>();

    /** The same of portals. */
    private final Map<String, Effects> bound = new ConcurrentHashMap<>();

    Requests(Session session, FrameReader in, Domain domain, ClientSettings settings, AtomicLong schemas) {
        this.session = session;
        this.in = in;
        this.domain = domain;
        this.settings = settings;
        this.schemas = schemas;
    }

    // ---- texts

    void query() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        to.unnamed = null;
        byte[] whole = PEEKED < in.length() && in.length() <= LOOKED_AT ? in.body(LOOKED_AT) : null;
        session.noteUnclean(in.length() > LOOKED_AT); // what it leaves is not known
        String sql = text(whole != null ? whole : in.peek(PEEKED));
        Effects effects = Effects.of(sql);
        String instead = null;
        if (effects.isNothing()) {
            session.owe(to, Sent.QUERY);
        } else {
            instead = instead(effects, sql);
            if (!refuses(effects)) {
                session.expect(effects);
            }
            session.owe(
                    to, Sent.QUERY, () -> {}, () -> executed(effects, to), instead == null ? null : tag(effects), null);
        }
        if (instead != null) {
            to.out.message('Q', (instead + "\0").getBytes(StandardCharsets.UTF_8));
        } else if (whole != null) {
            to.out.message('Q', whole);
        } else {
            in.pass(to.out);
        }
    }

    /**
     * A function by its number, as the interfaces to large objects call theirs. Any other may leave what is not known, so
     * the connection is reset after it.
     */
    void call() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        byte[] head = in.peek(4);
        session.noteUnclean(head.length < 4 || !LARGE_OBJECTS.contains(FrameReader.int32(head, 0)));
        session.owe(to, Sent.QUERY);
        in.pass(to.out);
    }

    /** Without the zero bytes at its end. */
    static String text(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
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
        return effects.deallocates() || !effects.deallocated().isEmpty()
                ? Effects.replaced(sql, one -> deallocation(one, effects.statements() == 1))
                : null;
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

    /** A statement has been executed: the client's are what it left behind, the settings once the transaction ends. */
    private void executed(Effects effects, Link to) {
        if (refuses(effects)) {
            return;
        }
        if (effects.deallocates()) {
            statements.clear();
        }
        effects.deallocated().forEach(statements::remove);
        settings.executed(effects, to);
    }

    private boolean refuses(Effects effects) {
        return effects.pinnedBy().isPresent()
                && domain.sessionState() == SessionState.REFUSE
                && domain.mode() != PoolMode.SESSION;
    }

    // ---- prepared statements

    void parse() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        byte[] body = in.body(MOST_STATEMENT);
        String name = FrameReader.cString(body, 0);
        Statement statement = Statement.of(body, FrameReader.after(body, 0), schemas.get());
        String sql = statement.sql();
        session.noteUnclean(sql.length() > LOOKED_AT);
        Effects effects = Effects.of(sql.length() > LOOKED_AT ? sql.substring(0, LOOKED_AT) : sql);
        String instead = instead(effects, sql);
        Statement meant = instead == null ? statement : new Statement(instead + "\0\0\0", 0);
        if (name.isEmpty()) {
            note(lasting, name, effects);
            unnamed = meant;
            to.unnamed = meant;
            session.owe(to, Sent.PARSE, () -> {
                to.unnamed = null;
                if (Objects.equals(unnamed, meant)) {
                    unnamed = null;
                }
            });
            to.parse("", meant);
            return;
        }
        Statement before = statements.get(name);
        if (before != null) {
            // the server refuses a second one of the name; it is told one that it has
            String known = session.prepared(to, before, Sent.OUR_PARSE, () -> {});
            session.owe(to, Sent.PARSE);
            to.parse(known, meant);
            return;
        }
        statements.put(name, meant);
        note(lasting, name, effects);
        session.prepared(to, meant, Sent.PARSE, () -> statements.remove(name, meant));
    }

    private static void note(Map<String, Effects> of, String name, Effects effects) {
        if (effects.isNothing()) {
            of.remove(name);
        } else {
            of.put(name, effects);
        }
    }

    void execute() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        Effects effects = bound.isEmpty() ? null : bound.get(FrameReader.cString(in.peek(PEEKED), 0));
        if (effects == null) {
            session.owe(to, Sent.EXECUTE);
        } else {
            if (!refuses(effects)) {
                session.expect(effects);
            }
            boolean another = effects.deallocates() || !effects.deallocated().isEmpty();
            session.owe(to, Sent.EXECUTE, () -> {}, () -> executed(effects, to), another ? tag(effects) : null, null);
        }
        in.pass(to.out);
    }

    /** The server's name of a client's statement, which is prepared there from now on; the name itself where there is none. */
    private String serversName(Link to, String name) throws IOException {
        if (name.isEmpty()) {
            Statement mine = unnamed;
            if (mine != null && !mine.equals(to.unnamed)) {
                to.unnamed = mine;
                session.owe(to, Sent.OUR_PARSE, () -> to.unnamed = null);
                to.parse("", mine);
            }
            return name;
        }
        Statement statement = statements.get(name);
        if (statement == null) {
            return Link.isOurs(name) ? Link.nobodys(name) : name;
        }
        return session.prepared(to, statement, Sent.OUR_PARSE, () -> {});
    }

    void bind() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        byte[] head = in.peek(1024);
        int statementAt = FrameReader.after(head, 0);
        int restAt = FrameReader.after(head, statementAt);
        String name = FrameReader.cString(head, statementAt);
        String known = serversName(to, name);
        if (!bound.isEmpty() || !lasting.isEmpty()) {
            note(bound, FrameReader.cString(head, 0), filled(lasting.getOrDefault(name, Effects.NONE), restAt));
        }
        in.skip(restAt);
        session.owe(to, Sent.BIND, () -> {}, () -> {}, null, statements.get(name));
        byte[] portal = Arrays.copyOf(head, statementAt);
        to.out
                .header('B', statementAt + FrameWriter.sizeOf(known) + in.length() - restAt)
                .write(portal, 0, portal.length)
                .cString(known);
        in.passRest(to.out);
    }

    /** With the values of its parameters, which are those of the Bind message from there on. */
    private Effects filled(Effects effects, int from) throws IOException {
        if (effects.parameters().isEmpty()) {
            return effects;
        }
        byte[] body = in.peek(PEEKED);
        int[] at = FrameReader.parameters(body, from);
        Map<String, String> all = new LinkedHashMap<>(effects.settings());
        effects.parameters().forEach((name, number) -> {
            int begins = number <= at.length ? at[number - 1] : 0;
            int length = begins == 0 ? -1 : FrameReader.int32(body, begins - 4);
            all.put(
                    name,
                    length < 0 ? "" : Settings.command(name, new String(body, begins, length, StandardCharsets.UTF_8)));
        });
        return effects.with(all);
    }

    void describe() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        byte[] body = in.body(PEEKED);
        if (body.length > 1 && body[0] == 'S') {
            String name = FrameReader.cString(body, 1);
            String known = serversName(to, name);
            session.owe(to, Sent.DESCRIBE, () -> {}, () -> {}, null, statements.get(name));
            to.out.header('D', 1 + FrameWriter.sizeOf(known)).write(body, 0, 1).cString(known);
        } else {
            session.owe(to, Sent.DESCRIBE);
            to.out.message('D', body);
        }
    }

    void close() throws IOException {
        Link to = session.toServer();
        if (to == null) {
            return;
        }
        byte[] body = in.body(PEEKED);
        String name = body.length > 1 && body[0] == 'S' ? FrameReader.cString(body, 1) : "";
        if (!name.isEmpty() && statements.containsKey(name)) {
            Statement was = statements.remove(name);
            session.owe(to, Sent.ABSORBED_CLOSE, () -> statements.putIfAbsent(name, was));
            return;
        }
        if (body.length > 1 && body[0] == 'S' && name.isEmpty()) {
            unnamed = null;
            to.unnamed = null;
        }
        session.owe(to, Sent.CLOSE);
        if (Link.isOurs(name)) { // which it does not know of: it closes one that is not there
            to.out.message('C', ('S' + Link.nobodys(name) + '\0').getBytes(StandardCharsets.UTF_8));
        } else {
            to.out.message('C', body);
        }
    }

    // ---- what the server says

    void completed(String tag) {
        if (tag.startsWith("ALTER ") || tag.startsWith("DROP ")) {
            schemas.incrementAndGet();
        }
    }

    /**
     * A statement no longer gives what it gave when it was prepared: whoever prepares it now means another one. Or it is
     * gone, dropped from within a function: it is to be prepared again.
     */
    void failed(Link to) throws IOException {
        Statement statement = to.pipeline.statement();
        if (statement == null) {
            return;
        }
        String state = Fields.failure(to.in.peek(PEEKED)).getSQLState();
        if (state.equals(CHANGED)) {
            schemas.compareAndSet(statement.generation(), statement.generation() + 1);
        } else if (state.equals(GONE)) {
            to.forget(statement);
        }
    }

    /** The transaction has ended, and its portals with it. */
    void ended() {
        bound.clear();
    }
}
