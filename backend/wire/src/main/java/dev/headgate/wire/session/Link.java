package dev.headgate.wire.session;

import dev.headgate.engine.meter.Prepared;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.Statement;
import dev.headgate.protocol.StatementCache;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A physical connection as relays know it: the bytes to and from the server, outstanding responses, prepared statements and
 * settings. Outlives leases. Belongs to the lease's holder.
 */
public final class Link {

    /** The most statements kept prepared on a connection, and the most bytes of their texts. */
    private static final int MOST_PREPARED = 250;

    private static final long MOST_PREPARED_BYTES = 4L * 1024 * 1024;

    /** The prefix of our statement names. */
    private static final String OURS = "headgate_";

    private static final String ENCODING = "client_encoding";

    /** Removes all state that a session may have left, except prepared statements. */
    private static final String RESET = """
            CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
            DISCARD TEMP; DISCARD SEQUENCES;""";

    /** Drops the statements of SQL PREPAREs: all others are JDBC's or shared here. */
    static final String DROP_PREPARED = """
            DO $headgate$DECLARE one text; BEGIN
            FOR one IN SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql LOOP
            EXECUTE 'DEALLOCATE ' || pg_catalog.quote_ident(one);
            END LOOP; END$headgate$""";

    /** Bytes from the server. */
    public final FrameReader in = new FrameReader();

    /** Bytes to the server. */
    public final FrameWriter out;

    final Pipeline pipeline = new Pipeline();

    /** The number of messages that were sent before the last Flush of ours. */
    private long flushed;

    final StatementCache prepared = new StatementCache(OURS, MOST_PREPARED, MOST_PREPARED_BYTES);

    final MetTexts met = new MetTexts();

    /** Statements of ours whose Close the server has skipped, with all that follows an error. */
    private List<String> unclosed = new ArrayList<>(0);

    /** The settings: lower-case name to the command that set it. */
    final Map<String, String> settings = new HashMap<>();

    /** The driver may have prepared statements for JDBC, under names that clients may use. */
    private boolean driversStatements = true;

    /** The parameters that the server reports (ParameterStatus), by name. */
    final Map<String, String> reported;

    /** Takes note of each text that is about to be executed. */
    private Executed executed = (text, from, to) -> {};

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /** Is told of the texts that the connection executes. */
    @FunctionalInterface
    public interface Executed {
        void text(byte[] bytes, int from, int to);
    }

    /**
     * The identity of the server's unnamed statement if a client of the wire port sent it; null if it is unknown.
     */
    @Nullable
    Object unnamed;

    /**
     * @param reported the parameters that the server has reported so far
     * @param buffers the buffers of the thread that uses it first
     */
    public Link(Map<String, String> reported, Buffers buffers) {
        this.reported = new LinkedHashMap<>(reported);
        this.out = new FrameWriter(buffers);
    }

    /** Sets who is told of the texts from now on. By the lease's holder. */
    public void tellsTo(Executed listener) {
        executed = listener;
    }

    /** A text is about to be executed. */
    void executes(byte[] bytes, int from, int to) {
        executed.text(bytes, from, to);
    }

    /** A client has used a statement that was prepared already, or had to be. */
    void used(boolean wasPrepared) {
        (wasPrepared ? hits : misses).increment();
    }

    /** What is kept prepared. From any thread. */
    public Prepared prepared() {
        List<Prepared.Named> all = prepared.list().stream()
                .map(each -> new Prepared.Named(each.name(), each.sql(), each.size()))
                .toList();
        return new Prepared(
                all.size(), all.stream().mapToLong(Prepared.Named::bytes).sum(), hits.sum(), misses.sum(), all);
    }

    /** Whether a statement's name is one of ours, which clients do not know. */
    static boolean isOurs(String name) {
        return name.startsWith(OURS);
    }

    /** Replaces one of our names in a client's message by the name of a statement that does not exist. */
    static String nobodys(String name) {
        return name + " of nobody";
    }

    /** Something other than a session has used the connection's unnamed statement. */
    public void unnamedIsUnknown() {
        unnamed = null;
    }

    /** Writes a Parse message. */
    void parse(String name, Statement statement) {
        out.header('P', FrameWriter.sizeOf(name) + statement.length()).cString(name);
        statement.write(out);
    }

    /** A statement of ours cannot be executed on this connection any more. If the server still has it, it is closed. */
    void lost(Statement statement) {
        String name = prepared.nameOf(statement);
        if (name != null) {
            prepared.remove(statement, name);
            unclosed(name);
        }
    }

    /** The server has skipped the Close of a statement of ours. */
    void unclosed(String name) {
        unclosed.add(name);
    }

    /** The statements of ours to close once more. They count as closed from now on. */
    List<String> takeUnclosed() {
        if (unclosed.isEmpty()) {
            return List.of();
        }
        List<String> taken = unclosed;
        unclosed = new ArrayList<>(0);
        return taken;
    }

    /** Has the server send the answers that it keeps back until a Sync. Once for the same ones. */
    void flush() {
        if (flushed != pipeline.sentInAll()) {
            flushed = pipeline.sentInAll();
            out.message('H');
        }
    }

    /** Writes a Close message for a prepared statement. */
    void closeStatement(String name) {
        out.header('C', 1 + FrameWriter.sizeOf(name)).put('S').cString(name);
    }

    /**
     * Records a reported parameter (ParameterStatus), whatever its cause: a client, one of Headgate's own commands, or a
     * rollback.
     *
     * @return the command that sets the parameter, if reports are the only source for it; null for all others
     */
    @Nullable
    String reports(String name, String value) {
        reported.put(name, value);
        String key = name.toLowerCase(Locale.ROOT);
        if (!Settings.CARRIED_BY_REPORT.contains(key)) {
            return null;
        }
        String command = SettingsText.command(key, value);
        settings.put(key, command);
        return command;
    }

    /** The command that drops what the driver has prepared for JDBC; empty if there is none. All statements count as dropped then. */
    String takeDriversStatements() {
        if (!driversStatements) {
            return "";
        }
        forgetStatements();
        return "DEALLOCATE ALL;";
    }

    /**
     * The commands that apply a client's settings; empty if they are applied already. Settings may need the rights of the session's
     * first user, so a role is left before them, and taken where the client took it.
     *
     * @param wanted in the order in which the client set them
     */
    String adoption(Map<String, String> wanted) {
        if (settings.equals(wanted)) {
            return "";
        }
        StringBuilder commands = new StringBuilder();
        if (settings.containsKey(Settings.ROLE)) {
            commands.append("RESET role;");
        }
        for (String name : settings.keySet()) {
            if (!wanted.containsKey(name) && !name.equals(Settings.ROLE)) {
                commands.append("RESET ").append(name).append(';');
            }
        }
        wanted.forEach((name, command) -> {
            if (!command.equals(settings.get(name)) || name.equals(Settings.ROLE)) {
                commands.append(command).append(';');
            }
        });
        return commands.toString();
    }

    /** Whether the server reads the client's texts in UTF-8. It does where it has not said otherwise. */
    boolean isUtf8() {
        return reported.getOrDefault(ENCODING, "UTF8").equals("UTF8");
    }

    /** Whether the connection would read some of these settings in another encoding than the client's. */
    boolean readsOtherwise(Map<String, String> wanted) {
        return !Objects.equals(settings.get(ENCODING), wanted.get(ENCODING))
                && wanted.values().stream().anyMatch(command -> !SettingsText.isAscii(command));
    }

    /** The connection's settings with the encoding of these. */
    Map<String, String> withEncodingOf(Map<String, String> wanted) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        String encoding = wanted.get(ENCODING);
        if (encoding == null) {
            all.remove(ENCODING);
        } else {
            all.put(ENCODING, encoding);
        }
        return all;
    }

    /** {@link #adoption} was executed. */
    void adopted(Map<String, String> wanted) {
        settings.clear();
        settings.putAll(wanted);
    }

    /**
     * The commands that restore the session's initial state. {@link #wasReset} records that they were executed.
     *
     * @param all whether to drop every prepared statement, because some may belong to the session or to its temporary tables
     */
    String reset(boolean all) {
        if (all) {
            forgetStatements();
        }
        return RESET + (all ? " DEALLOCATE ALL" : DROP_PREPARED);
    }

    void wasReset() {
        settings.clear();
        unnamed = null;
    }

    private void forgetStatements() {
        driversStatements = false;
        prepared.clear();
        met.clear();
        unclosed.clear();
    }

    /** A client has dropped all prepared statements, and perhaps its settings. */
    void wasDiscarded() {
        forgetStatements();
        unnamed = null;
        settings.replaceAll((name, command) -> "");
    }

    /**
     * The commands that remove all state that relays have left, for a holder that does not know relays. The state counts as
     * removed from now on.
     */
    public String removal() {
        settings.clear();
        forgetStatements();
        unnamed = null;
        // the driver learns from it that its own statements are gone, too
        return "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL";
    }
}
