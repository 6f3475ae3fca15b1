package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PostgreSQL backend without PostgreSQL: the protocol's rules of answering, skipping and transactions over a handful of
 * statements. The same class answers a client directly and behind the relay, so that the two can be compared.
 *
 * <p>Statements: {@code begin}, {@code commit}, {@code rollback}, {@code fail} (an error), {@code set NAME = 'V'},
 * {@code show NAME}, {@code copy in}, {@code copy out}, {@code rows N}, {@code gone} (drops what is prepared under names that
 * no client chose), and any other text, which answers with itself. A text with {@code table} in it becomes stale when the
 * database's schema changes.
 */
final class FakeBackend {

    /** What backends share. */
    static final class Database {
        int schema;
    }

    private record Prepared(String sql, int schema) {}

    private static final Pattern SET_CONFIG =
            Pattern.compile("select pg_catalog\\.set_config\\('([a-z_]+)', '([^']*)', false\\)");
    private static final Pattern SET = Pattern.compile("set ([a-z_]+) = '([^']*)'");

    private final Database database;
    private final FrameReader in = new FrameReader();
    final FrameWriter out = new FrameWriter(new Buffers());
    private final Map<String, Prepared> prepared = new HashMap<>();
    private final Map<String, Prepared> portals = new HashMap<>();
    private Map<String, String> settings = new TreeMap<>();
    private Map<String, String> before = new TreeMap<>();
    private char status = 'I';
    private boolean implicit;
    private boolean skipping;
    private boolean copying;
    private boolean copyIsExtended;
    private int executed;

    FakeBackend(Database database) {
        this.database = database;
    }

    /** As a startup message sets it. */
    void set(String name, String value) {
        settings.put(name, value);
        before.put(name, value);
    }

    /** How many statements it has executed, Headgate's own among them. */
    int executed() {
        return executed;
    }

    char status() {
        return status;
    }

    void receive(byte[] bytes, int from, int count) throws ProtocolException {
        in.feed(bytes, from, count);
        while (in.isOpen() || in.next()) {
            if (!in.has(in.length())) {
                break;
            }
            char type = in.type();
            byte[] body = in.peek(in.length());
            in.close();
            take(type, body);
        }
        in.keep();
    }

    private void take(char type, byte[] body) throws ProtocolException {
        if (copying) {
            copied(type);
            return;
        }
        if (skipping && type != 'S' && type != 'X') {
            return;
        }
        switch (type) {
            case 'Q' -> simple(text(body, 0));
            case 'P' -> parse(text(body, 0), text(body, FrameReader.after(body, 0, body.length)));
            case 'B' -> bind(text(body, 0), text(body, FrameReader.after(body, 0, body.length)));
            case 'D' -> describe((char) body[0], text(body, 1));
            case 'E' -> execute(text(body, 0));
            case 'C' -> {
                if (body[0] == 'S') {
                    prepared.remove(text(body, 1));
                } else {
                    portals.remove(text(body, 1));
                }
                out.message('3');
            }
            case 'S' -> {
                skipping = false;
                endImplicit();
                ready();
            }
            case 'H', 'X', 'd', 'c', 'f' -> {}
            default -> throw new ProtocolException("the relay sent '" + type + "'");
        }
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
                    endImplicit();
                    ready();
                }
            }
            default -> {
                copying = false;
                fail("57014", "copy failed", "DoCopy");
                if (copyIsExtended) {
                    skipping = true;
                } else {
                    endFailed();
                    ready();
                }
            }
        }
    }

    private void simple(String text) {
        prepared.remove("");
        if (text.startsWith("CLOSE ALL")) { // the relay's own reset
            settings.clear();
            executed++;
            Matcher gone = Pattern.compile("DEALLOCATE (headgate_\\d+)").matcher(text);
            while (gone.find()) {
                prepared.remove(gone.group(1));
            }
            complete("RESET");
            ready();
            return;
        }
        for (String each : text.split(";", -1)) {
            String sql = each.strip();
            if (sql.isEmpty()) {
                continue;
            }
            if (!run(sql, false)) {
                endFailed();
                ready();
                return;
            }
            if (copying) {
                return;
            }
        }
        endImplicit();
        ready();
    }

    private void endImplicit() {
        if (implicit) {
            implicit = false;
            status = 'I';
        }
        if (status == 'I') {
            before = new TreeMap<>(settings);
            portals.clear();
        }
    }

    private void endFailed() {
        if (status == 'I' || implicit) {
            implicit = false;
            status = 'I';
            settings = new TreeMap<>(before);
            portals.clear();
        }
    }

    private void ready() {
        out.message('Z', (byte) status);
    }

    private void parse(String name, String sql) {
        if (!name.isEmpty() && prepared.containsKey(name)) {
            failExtended("42P05", "prepared statement exists", "StorePreparedStatement");
        } else if (sql.equals("bad") || (status == 'E' && !ends(sql))) {
            prepared.remove(name);
            failExtended(sql.equals("bad") ? "42601" : "25P02", "cannot parse " + sql, "exec_parse_message");
        } else {
            prepared.put(name, new Prepared(sql, database.schema));
            out.message('1');
        }
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
            out.message('2');
        }
    }

    private boolean isStale(Prepared statement) {
        return statement.sql.contains("table") && statement.schema != database.schema;
    }

    private void describe(char what, String name) {
        Prepared of = what == 'S' ? prepared.get(name) : portals.get(name);
        if (of == null) {
            failExtended("26000", "nothing to describe", "exec_describe");
        } else if (what == 'S' && isStale(of)) {
            failExtended("0A000", "cached plan must not change result type", "RevalidateCachedQuery");
        } else {
            if (what == 'S') {
                out.message('t', (byte) 0, (byte) 0);
            }
            out.message('T', of.sql);
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
        if (!run(of.sql, true)) {
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
        return sql.equals("rollback") || sql.equals("commit");
    }

    /** @return whether it succeeded */
    private boolean run(String sql, boolean extended) {
        executed++;
        String lower = sql.toLowerCase(Locale.ROOT);
        if (status == 'E' && !ends(lower)) {
            fail("25P02", "aborted", "exec_simple_query");
            return false;
        }
        Matcher config = SET_CONFIG.matcher(lower);
        Matcher set = SET.matcher(lower);
        if (config.matches()) {
            put(config.group(1), sql.substring(config.start(2), config.end(2)));
            row("set_config", extended);
        } else if (set.matches()) {
            put(set.group(1), set.group(2));
            complete("SET");
        } else if (lower.startsWith("reset ")) {
            settings.remove(lower.substring(6));
            complete("RESET");
        } else if (lower.startsWith("show ")) {
            row(settings.getOrDefault(lower.substring(5), "default"), extended);
        } else if (lower.equals("gone")) {
            prepared.keySet().removeIf(name -> name.startsWith("headgate_"));
            complete("GONE");
        } else if (lower.equals("copy in")) {
            copying = true;
            copyIsExtended = extended;
            out.message('G', (byte) 0, (byte) 0, (byte) 0);
        } else if (lower.equals("copy out")) {
            out.message('H', (byte) 0, (byte) 0, (byte) 0);
            out.message('d', "data").message('d', "more").message('c');
            complete("COPY 2");
        } else if (lower.startsWith("rows ")) {
            for (int left = Integer.parseInt(lower.substring(5)); left > 0; left--) {
                out.message('D', "row " + left + " ".repeat(left % 300));
            }
            complete("SELECT");
        } else {
            return control(lower) || other(sql, lower, extended);
        }
        return true;
    }

    private boolean other(String sql, String lower, boolean extended) {
        if (lower.startsWith("fail")) {
            fail("22012", "division by zero", "int4div");
            return false;
        }
        row(sql, extended);
        return true;
    }

    private boolean control(String lower) {
        switch (lower) {
            case "begin" -> {
                status = 'T';
                implicit = false;
                complete("BEGIN");
            }
            case "commit", "rollback" -> {
                boolean undone = lower.equals("rollback") || status == 'E';
                if (undone) {
                    settings = new TreeMap<>(before);
                }
                status = 'I';
                implicit = false;
                before = new TreeMap<>(settings);
                complete(undone ? "ROLLBACK" : "COMMIT");
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void put(String name, String value) {
        settings.put(name, value);
        if (name.equals("application_name")) {
            out.reported(name, value);
        }
    }

    private void row(String value, boolean extended) {
        if (!extended) {
            out.message('T', value);
        }
        out.message('D', value);
        complete("SELECT 1");
    }

    private void complete(String tag) {
        out.message('C', tag);
    }

    private void fail(String state, String message, String routine) {
        byte[] fields =
                ("SERROR\0C" + state + "\0M" + message + "\0R" + routine + "\0\0").getBytes(StandardCharsets.UTF_8);
        out.message('E', fields);
        if (status == 'T' && !implicit) {
            status = 'E';
        }
    }
}
