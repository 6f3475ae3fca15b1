package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL backend without PostgreSQL: the protocol's rules of answering, skipping and transactions over a handful of
 * statements. The same class answers a client directly and behind the relay, so that the two can be compared.
 *
 * <p>Statements: {@code begin}, {@code commit}, {@code rollback}, both with {@code and chain}, {@code savepoint NAME}, {@code release
 * NAME}, {@code rollback to NAME}, {@code fail} (an error), {@code deallocate all}, {@code set NAME = 'V'}, {@code reset NAME} (an error for {@code fixed}),
 * {@code show NAME}, {@code copy in}, {@code copy out}, {@code rows N} (of up to 300 bytes), {@code wide N} (of 8 KB),
 * {@code listen}, {@code sleep} (runs until {@link #wake} or {@link #cancel}), {@code gone} (drops what is prepared under
 * names that no client chose), and any other text, which answers
 * with itself. A text with {@code table} in it becomes stale when the database's schema changes. One with {@code literal} in
 * it is read by the settings at the moment when it is parsed, and answers with them.
 */
final class FakeBackend {

    /** What backends share. */
    static final class Database {
        int schema;
    }

    private record Prepared(String sql, int schema, String reading) {}

    private static final Pattern SET_CONFIG =
            Pattern.compile("select pg_catalog\\.set_config\\('([a-z_]+)', '([^']*)', false\\)");
    private static final Pattern SET = Pattern.compile("set ([a-z_]+) = '([^']*)'");
    private static final Pattern DEALLOCATED = Pattern.compile("DEALLOCATE (headgate_\\d+)");

    /** What it tells of by itself, with the values at first. */
    static final Map<String, String> REPORTED = Map.of("application_name", "", "datestyle", "ISO");

    private static final byte[] BLANKS = new byte[8 * 1024];

    static {
        java.util.Arrays.fill(BLANKS, (byte) ' ');
    }

    /** The size of PostgreSQL's buffer for answers. */
    private static final int FULL = 8 * 1024;

    private final Database database;
    private final FrameReader in = new FrameReader();

    /** What it has sent. */
    final FrameWriter out;

    /** What it has not sent yet. */
    private final FrameWriter answers;

    /** Answers wait for a Sync, a Flush, an error or {@link #FULL} bytes, as they do in PostgreSQL. */
    boolean keepsBack;

    private final Map<String, Prepared> prepared = new HashMap<>();
    private final Map<String, Prepared> portals = new HashMap<>();
    private Map<String, String> settings = new TreeMap<>();

    /** The settings before the present transaction, where it has changed any. */
    private @Nullable Map<String, String> before;

    /** A savepoint of the present transaction, and the settings when it was set. */
    private record Saved(String name, Map<String, String> settings) {}

    private final List<Saved> savepoints = new ArrayList<>();

    private final Map<String, String> startup = new TreeMap<>();
    private final Map<String, String> told = new TreeMap<>(REPORTED);

    /** The statements of the present simple query that are still to be run; null for none. */
    private @Nullable Deque<String> script;

    private char status = 'I';
    private boolean implicit;
    private boolean skipping;
    private boolean copying;
    private boolean copyIsExtended;
    private boolean sleeping;
    private boolean sleepIsExtended;
    private boolean listening;
    private int executed;
    private int cancelled;
    private int ran;
    private int describedPortals;

    FakeBackend(Database database) {
        this(database, new Buffers());
    }

    FakeBackend(Database database, Buffers buffers) {
        this.database = database;
        this.out = new FrameWriter(buffers);
        this.answers = new FrameWriter(buffers);
    }

    /** As a startup message sets it. */
    void set(String name, String value) {
        startup.put(name, value);
        settings.put(name, value);
        if (REPORTED.containsKey(name)) {
            told.put(name, value);
        }
    }

    /** How many statements it has executed, Headgate's own among them. */
    int executed() {
        return executed;
    }

    /** How often it was asked for the columns of a portal. */
    int describedPortals() {
        return describedPortals;
    }

    /** How many of them were a client's: texts that answer with themselves, and those that ran until they were woken. */
    int ran() {
        return ran;
    }

    /** How many it was told to cancel while it ran one. */
    int cancelled() {
        return cancelled;
    }

    char status() {
        return status;
    }

    String setting(String name) {
        return settings.getOrDefault(name, REPORTED.getOrDefault(name, "default"));
    }

    boolean isSleeping() {
        return sleeping;
    }

    boolean isCopying() {
        return copying;
    }

    boolean isListening() {
        return listening;
    }

    boolean has(String name) {
        return prepared.containsKey(name);
    }

    /** Whether it takes a notification now: a backend sends them outside of transactions only. */
    boolean notifies() {
        return listening && status == 'I' && !copying && !sleeping && script == null;
    }

    void tell(String payload) {
        answers.message('A', "\0\0\0\1channel\0" + payload);
        flush();
    }

    void receive(byte[] bytes, int from, int count) throws ProtocolException {
        in.feed(bytes, from, count);
        work();
        in.keep();
    }

    private void flush() {
        out.write(answers.bytes());
    }

    private void work() throws ProtocolException {
        while (!sleeping && (in.isOpen() || in.next())) {
            if (!in.has(in.length())) {
                return;
            }
            char type = in.type();
            byte[] body = in.peek(in.length());
            in.close();
            take(type, body);
            if (!keepsBack || answers.size() >= FULL) {
                flush();
            }
        }
    }

    /** The statement that runs ends. */
    void wake() throws ProtocolException {
        if (sleeping) {
            ran++;
            complete("SLEPT");
            sleptUntil(true);
        }
    }

    /** As by a CancelRequest: the statement that runs fails; nothing happens where none does. */
    void cancel() throws ProtocolException {
        if (sleeping) {
            cancelled++;
            fail("57014", "canceling statement", "ProcessInterrupts");
            sleptUntil(false);
        }
    }

    private void sleptUntil(boolean ended) throws ProtocolException {
        sleeping = false;
        if (sleepIsExtended) {
            if (!ended) {
                skipping = true;
                endFailed();
            }
        } else if (ended) {
            runScript();
        } else {
            failScript();
        }
        work();
        in.keep();
        if (!keepsBack) {
            flush();
        }
    }

    private void take(char type, byte[] body) throws ProtocolException {
        if (copying) {
            copied(type);
            return;
        }
        if (skipping && type != 'S' && type != 'X') {
            return;
        }
        try {
            dispatch(type, body);
        } catch (ProtocolException malformed) {
            if (type == 'Q') {
                fail("08P01", "invalid message format", "pq_getmsgend");
                failScript();
            } else {
                failExtended("08P01", "invalid message format", "pq_getmsgend");
            }
        }
    }

    private void dispatch(char type, byte[] body) throws ProtocolException {
        switch (type) {
            case 'Q' -> simple(text(body, 0));
            case 'P' -> parse(text(body, 0), text(body, FrameReader.after(body, 0, body.length)));
            case 'B' -> bind(text(body, 0), text(body, FrameReader.after(body, 0, body.length)));
            case 'D' -> describe(first(body), text(body, 1));
            case 'E' -> execute(text(body, 0));
            case 'C' -> {
                if (first(body) == 'S') {
                    prepared.remove(text(body, 1));
                } else {
                    portals.remove(text(body, 1));
                }
                answers.message('3');
            }
            case 'S' -> {
                skipping = false;
                endImplicit();
                ready();
            }
            case 'F' -> {
                fail("42883", "no such function", "fetch_fp_info");
                endFailed();
                ready();
            }
            case 'H' -> flush();
            case 'X', 'd', 'c', 'f' -> {}
            default -> throw new IllegalStateException("the relay sent '" + type + "'");
        }
    }

    private static char first(byte[] body) throws ProtocolException {
        if (body.length == 0) {
            throw new ProtocolException("too short");
        }
        return (char) body[0];
    }

    private static String text(byte[] body, int from) throws ProtocolException {
        return FrameReader.cString(body, from);
    }

    private void copied(char type) {
        switch (type) {
            case 'd', 'H', 'S' -> {}
            case 'c' -> {
                copying = false;
                complete("COPY 1");
                if (!copyIsExtended) {
                    runScript();
                }
            }
            default -> {
                copying = false;
                fail("57014", "copy failed", "DoCopy");
                if (copyIsExtended) {
                    skipping = true;
                    endFailed();
                } else {
                    failScript();
                }
            }
        }
    }

    private void simple(String text) {
        prepared.remove("");
        if (text.startsWith("CLOSE ALL")) { // the relay's own reset
            settings = new TreeMap<>(startup);
            before = null;
            listening = false;
            executed++;
            Matcher gone = DEALLOCATED.matcher(text);
            while (gone.find()) {
                prepared.remove(gone.group(1));
            }
            if (text.endsWith("DEALLOCATE ALL")) {
                prepared.clear();
            }
            complete("RESET");
            ready();
            return;
        }
        Deque<String> all = new ArrayDeque<>();
        for (int from = 0; from <= text.length(); ) {
            int semicolon = text.indexOf(';', from);
            int to = semicolon < 0 ? text.length() : semicolon;
            String sql = text.substring(from, to).strip();
            if (!sql.isEmpty()) {
                all.add(sql);
            }
            from = to + 1;
        }
        script = all;
        runScript();
    }

    private void runScript() {
        Deque<String> left = script;
        for (String sql = left == null ? null : left.poll(); left != null && sql != null; sql = left.poll()) {
            if (!run(sql, "", false)) {
                failScript();
                return;
            }
            if (copying || sleeping) {
                return;
            }
        }
        script = null;
        endImplicit();
        ready();
    }

    private void failScript() {
        script = null;
        endFailed();
        ready();
    }

    private void endImplicit() {
        if (implicit) {
            implicit = false;
            status = 'I';
        }
        if (status == 'I') {
            before = null;
            savepoints.clear();
            portals.clear();
        }
    }

    private void endFailed() {
        if (status == 'I' || implicit) {
            implicit = false;
            status = 'I';
            undo();
            portals.clear();
        }
    }

    private void undo() {
        Map<String, String> saved = before;
        if (saved != null) {
            settings = saved;
            before = null;
        }
        savepoints.clear();
    }

    private void ready() {
        REPORTED.forEach((name, first) -> {
            String value = settings.getOrDefault(name, first);
            if (!value.equals(told.put(name, value))) {
                answers.reported(name.equals("datestyle") ? "DateStyle" : name, value);
            }
        });
        answers.message('Z', (byte) status);
        flush();
    }

    private void parse(String name, String sql) {
        if (!name.isEmpty() && prepared.containsKey(name)) {
            failExtended("42P05", "prepared statement \"" + name + "\" already exists", "StorePreparedStatement");
        } else if (sql.equals("bad") || (status == 'E' && !ends(sql))) {
            prepared.remove(name);
            failExtended(sql.equals("bad") ? "42601" : "25P02", "cannot parse " + sql, "exec_parse_message");
        } else {
            prepared.put(name, new Prepared(sql, database.schema, reading(sql)));
            answers.message('1');
        }
    }

    /** How its literals are read at present. */
    private String reading(String sql) {
        return sql.contains("literal")
                ? settings.getOrDefault("datestyle", "ISO") + '/' + settings.getOrDefault("xmloption", "default")
                : "";
    }

    private void bind(String portal, String name) {
        Prepared statement = prepared.get(name);
        if (statement == null) {
            failExtended("26000", "no such statement", "FetchPreparedStatement");
        } else if (status == 'E' && !ends(statement.sql)) {
            failExtended("25P02", "aborted", "exec_bind_message");
        } else if (isStale(statement)) {
            failExtended("0A000", "cached plan must not change result type", "RevalidateCachedQuery");
        } else {
            portals.put(portal, statement);
            answers.message('2');
        }
    }

    private boolean isStale(Prepared statement) {
        return statement.schema != database.schema && statement.sql.contains("table");
    }

    private void describe(char what, String name) {
        Prepared of = what == 'S' ? prepared.get(name) : portals.get(name);
        if (of == null) {
            failExtended("26000", "nothing to describe", "exec_describe");
        } else if (what == 'S' && isStale(of)) {
            failExtended("0A000", "cached plan must not change result type", "RevalidateCachedQuery");
        } else {
            if (what == 'S') {
                answers.message('t', (byte) 0, (byte) 0);
            } else {
                describedPortals++;
            }
            answers.message('T', of.sql);
        }
    }

    private void execute(String portal) {
        Prepared of = portals.get(portal);
        if (of == null) {
            failExtended("34000", "no such portal", "exec_execute_message");
            return;
        }
        if (status == 'I') {
            status = 'T';
            implicit = true;
        }
        if (!run(of.sql, of.reading, true)) {
            skipping = true;
            endFailed();
        }
    }

    private void failExtended(String state, String message, String routine) {
        fail(state, message, routine);
        skipping = true;
        endFailed();
    }

    private static boolean ends(String sql) {
        return sql.startsWith("rollback") || sql.startsWith("commit");
    }

    /** @return whether it succeeded */
    private boolean run(String sql, String reading, boolean extended) {
        executed++;
        String lower = sql.toLowerCase(Locale.ROOT);
        if (status == 'E' && !ends(lower)) {
            fail("25P02", "aborted", "exec_simple_query");
            return false;
        }
        if (lower.startsWith("select pg_catalog.set_config") || lower.startsWith("set ")) {
            return runSet(sql, lower, extended);
        }
        if (lower.equals("reset fixed")) {
            fail("0A000", "parameter \"fixed\" cannot be reset", "set_config_option");
            return false;
        }
        if (lower.startsWith("reset ")) {
            put(lower.substring(6), null);
            complete("RESET");
        } else if (lower.startsWith("show ")) {
            row(setting(lower.substring(5)), extended);
        } else if (lower.startsWith("rows ")) {
            rows(number(lower), 300, 1);
        } else if (lower.startsWith("wide ")) {
            rows(number(lower), BLANKS.length, BLANKS.length - 1);
        } else {
            return lower.startsWith("savepoint ") || lower.startsWith("release ") || lower.startsWith("rollback to ")
                    ? savepoint(lower)
                    : control(lower, extended) || other(sql, lower, reading, extended);
        }
        return true;
    }

    private boolean savepoint(String lower) {
        if (status == 'I' || implicit) {
            fail("25P01", "only in transaction blocks", "RequireTransactionBlock");
            return false;
        }
        String name = lower.substring(lower.lastIndexOf(' ') + 1);
        if (lower.startsWith("savepoint ")) {
            savepoints.add(new Saved(name, new TreeMap<>(settings)));
            complete("SAVEPOINT");
            return true;
        }
        int at = savepoints.size() - 1;
        while (at >= 0 && !savepoints.get(at).name.equals(name)) {
            at--;
        }
        if (at < 0) {
            fail("3B001", "no such savepoint", "RollbackToSavepoint");
            return false;
        }
        if (lower.startsWith("release ")) {
            savepoints.subList(at, savepoints.size()).clear();
            complete("RELEASE");
        } else {
            if (before == null) {
                before = new TreeMap<>(settings);
            }
            settings = new TreeMap<>(savepoints.get(at).settings);
            savepoints.subList(at + 1, savepoints.size()).clear();
            status = 'T';
            complete("ROLLBACK");
        }
        return true;
    }

    private boolean runSet(String sql, String lower, boolean extended) {
        Matcher config = SET_CONFIG.matcher(lower);
        Matcher set = SET.matcher(lower);
        if (config.matches()) {
            put(config.group(1), sql.substring(config.start(2), config.end(2)));
            row("set_config", extended);
        } else if (set.matches()) {
            put(set.group(1), sql.substring(set.start(2), set.end(2)));
            complete("SET");
        } else {
            row(sql, extended);
        }
        if (lower.contains("'refused'")) {
            fail("22023", "invalid value for parameter", "set_config_option");
            return false;
        }
        return true;
    }

    private static int number(String statement) {
        try {
            return Math.min(1000, Integer.parseInt(statement.substring(5)));
        } catch (NumberFormatException e) {
            return 1;
        }
    }

    private void rows(int count, int longest, int step) {
        for (int left = count; left > 0; left--) {
            int length = left * step % longest;
            answers.header('D', length + 4).int32(left).write(BLANKS, 0, length);
        }
        complete("SELECT");
    }

    private boolean other(String sql, String lower, String reading, boolean extended) {
        if (lower.startsWith("fail")) {
            fail("22012", "division by zero", "int4div");
            return false;
        }
        ran++;
        row(sql + (extended ? reading : reading(sql)), extended);
        return true;
    }

    private boolean control(String lower, boolean extended) {
        switch (lower) {
            case "begin" -> {
                status = 'T';
                implicit = false;
                complete("BEGIN");
            }
            case "commit", "rollback", "commit and chain", "rollback and chain" -> {
                boolean undone = lower.startsWith("rollback") || status == 'E';
                if (undone) {
                    undo();
                }
                before = null;
                savepoints.clear();
                status = lower.endsWith("chain") ? 'T' : 'I';
                implicit = false;
                complete(undone ? "ROLLBACK" : "COMMIT");
            }
            case "deallocate all" -> {
                prepared.clear();
                complete("DEALLOCATE ALL");
            }
            case "sleep" -> {
                sleeping = true;
                sleepIsExtended = extended;
            }
            case "listen" -> {
                listening = true;
                complete("LISTEN");
            }
            case "gone" -> {
                prepared.keySet().removeIf(name -> name.startsWith("headgate_"));
                complete("GONE");
            }
            case "copy in" -> {
                copying = true;
                copyIsExtended = extended;
                answers.message('G', (byte) 0, (byte) 0, (byte) 0);
                flush();
            }
            case "copy in fails first" -> { // as by a trigger of the statement
                answers.message('G', (byte) 0, (byte) 0, (byte) 0);
                flush();
                fail("P0001", "not today", "exec_stmt_raise");
                if (extended) {
                    skipping = true;
                    endFailed();
                }
                return extended;
            }
            case "copy out" -> {
                answers.message('H', (byte) 0, (byte) 0, (byte) 0);
                answers.message('d', "data").message('d', "more").message('c');
                complete("COPY 2");
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void put(String name, @Nullable String value) {
        if (before == null) {
            before = new TreeMap<>(settings);
        }
        if (value != null) {
            settings.put(name, value);
        } else if (startup.containsKey(name)) {
            settings.put(name, startup.get(name));
        } else if (name.equals("all")) {
            settings = new TreeMap<>(startup);
        } else {
            settings.remove(name);
        }
    }

    private void row(String value, boolean extended) {
        if (!extended) {
            answers.message('T', value);
        }
        answers.message('D', value);
        complete("SELECT 1");
    }

    private void complete(String tag) {
        answers.message('C', tag);
    }

    private void fail(String state, String message, String routine) {
        byte[] fields =
                ("SERROR\0C" + state + "\0M" + message + "\0R" + routine + "\0\0").getBytes(StandardCharsets.UTF_8);
        answers.message('E', fields);
        flush();
        if (status == 'T' && !implicit) {
            status = 'E';
        }
    }
}
