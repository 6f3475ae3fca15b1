package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline;
import dev.headgate.protocol.SettingsText;
import dev.headgate.protocol.Statement;
import dev.headgate.protocol.StatementCache;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A physical connection as relays know it: the bytes to and from the server, what the server still owes, what is prepared
 * and what is set. Outlives leases; belongs to the lease's holder.
 */
public final class Link {

    /** Statements kept prepared on a connection, and bytes of their texts. */
    private static final int MOST_PREPARED = 250;

    private static final long MOST_PREPARED_BYTES = 4L * 1024 * 1024;

    /** What the names of statements begin with. */
    private static final String OURS = "headgate_";

    /** Undoes whatever a session may have left, but for prepared statements. */
    private static final String RESET = """
            CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
            DISCARD TEMP; DISCARD SEQUENCES;""";

    /** Drops those of its PREPAREs: all others are JDBC's or shared here. */
    private static final String DROP_PREPARED = """
            DO $headgate$DECLARE one text; BEGIN
            FOR one IN SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql LOOP
            EXECUTE 'DEALLOCATE ' || pg_catalog.quote_ident(one);
            END LOOP; END$headgate$""";

    /** What comes from the server. */
    public final FrameReader in = new FrameReader();

    /** What goes to the server. */
    public final FrameWriter out;

    final Pipeline pipeline = new Pipeline();
    final StatementCache prepared = new StatementCache(OURS, MOST_PREPARED, MOST_PREPARED_BYTES);

    /** By name in lower case, the command that made it so. */
    final Map<String, String> settings = new HashMap<>();

    /** What the server reports of the session (ParameterStatus), by name. */
    final Map<String, String> reported;

    /**
     * The identity of the server's unnamed statement, where a client of the wire port sent it; null where that is not known.
     */
    @Nullable
    Object unnamed;

    /**
     * @param reported what the server has reported so far
     * @param buffers of the thread that uses it first
     */
    public Link(Map<String, String> reported, Buffers buffers) {
        this.reported = new LinkedHashMap<>(reported);
        this.out = new FrameWriter(buffers);
    }

    /** Whether such a name is one that statements have here, which clients do not know. */
    static boolean isOurs(String name) {
        return name.startsWith(OURS);
    }

    /** What to call a statement that a client means by one of our names: the name of one that does not exist. */
    static String nobodys(String name) {
        return name + " of nobody";
    }

    /** Somebody else has used the connection's unnamed statement. */
    public void unnamedIsUnknown() {
        unnamed = null;
    }

    /** Writes a Parse message. */
    void parse(String name, Statement statement) {
        byte[] tail = statement.tail();
        out.header('P', FrameWriter.sizeOf(name) + tail.length).cString(name).write(tail);
    }

    /** Writes a Close message for a prepared statement. */
    void closeStatement(String name) {
        out.header('C', 1 + FrameWriter.sizeOf(name)).put('S').cString(name);
    }

    /**
     * Notes what the server reports (ParameterStatus), whoever made it so: a client, a command of Headgate's own, or the end
     * of a transaction that is rolled back.
     *
     * @return the command that makes the setting so, where it is known by reports alone; null for all others
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

    /** The commands that make the settings those of a client; empty where they are. */
    String adoption(Map<String, String> wanted) {
        if (settings.equals(wanted)) {
            return "";
        }
        StringBuilder commands = new StringBuilder();
        for (String name : settings.keySet()) {
            if (!wanted.containsKey(name)) {
                commands.append("RESET ").append(name).append(';');
            }
        }
        wanted.forEach((name, command) -> {
            if (!command.equals(settings.get(name))) {
                commands.append(command).append(';');
            }
        });
        return commands.toString();
    }

    /** {@link #adoption} was executed. */
    void adopted(Map<String, String> wanted) {
        settings.clear();
        settings.putAll(wanted);
    }

    /**
     * The commands that put the session back to what it was when it was opened; {@link #wasReset} notes that they were
     * executed.
     *
     * @param all whether every prepared statement is dropped, as some may belong to the session or to its temporary tables
     */
    String reset(boolean all) {
        if (all) {
            prepared.clear();
        }
        return RESET + (all ? " DEALLOCATE ALL" : DROP_PREPARED);
    }

    void wasReset() {
        settings.clear();
        unnamed = null;
    }

    /** A client has dropped all prepared statements, its settings perhaps too. */
    void wasDiscarded() {
        prepared.clear();
        unnamed = null;
        settings.replaceAll((name, command) -> "");
    }

    /**
     * The commands that take away all that relays have left, for someone who does not know of relays; it counts as gone from
     * now on.
     */
    public String removal() {
        settings.clear();
        prepared.clear();
        unnamed = null;
        return "RESET ALL; DEALLOCATE ALL"; // from which the driver learns that its own are gone, too
    }
}
