package dev.headgate.wire;

import dev.headgate.engine.RelayLease;
import dev.headgate.engine.connect.Leftovers;
import dev.headgate.wire.protocol.Buffers;
import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.Pipeline;
import dev.headgate.wire.protocol.Statement;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A physical connection as relays know it: its streams, what is prepared and what is set on it. Outlives leases, as the
 * connection's {@link Leftovers}; used by its lease's holder alone.
 */
final class Link implements Leftovers {

    /** Statements kept prepared on a connection; the one that was not used for longest is closed for another. */
    private static final int MOST_PREPARED = 250;

    /** What the names of statements begin with. */
    private static final String OURS = "headgate_";

    /**
     * What undoes whatever a session may have left. Of prepared statements only those of its PREPAREs: all others are
     * JDBC's or shared here.
     */
    private static final String RESET = """
            CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all();
            DISCARD TEMP; DISCARD SEQUENCES;
            DO $headgate$DECLARE one text; BEGIN
            FOR one IN SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql LOOP
            EXECUTE 'DEALLOCATE ' || pg_catalog.quote_ident(one);
            END LOOP; END$headgate$""";

    final FrameReader in;
    final FrameWriter out;
    final Pipeline pipeline = new Pipeline();

    /** By name in lower case, the command that made it so. */
    final Map<String, String> settings = new HashMap<>();

    private final LinkedHashMap<Statement, String> prepared = new LinkedHashMap<>(16, 0.75f, true);
    private int sequence;

    /** What the server's unnamed statement is. */
    volatile @Nullable Statement unnamed;

    /** What the server reports of the session (ParameterStatus), by name. */
    final Map<String, String> reported;

    /** What JDBC lets a read take; 0 for no bound. */
    final int readTimeoutMillis;

    private Link(Socket socket, Map<String, String> reported, Buffers buffers) throws IOException {
        this.readTimeoutMillis = socket.getSoTimeout();
        this.reported = new LinkedHashMap<>(reported);
        in = new FrameReader(socket.getInputStream(), buffers);
        out = new FrameWriter(socket.getOutputStream(), buffers);
    }

    static Link of(RelayLease lease, Buffers buffers) throws IOException, SQLException {
        if (lease.left() instanceof Link known) {
            return known;
        }
        Map<String, String> reported =
                lease.connection().unwrap(PGConnection.class).getParameterStatuses();
        Link link = new Link(lease.socket(), reported, buffers);
        lease.leave(link);
        return link;
    }

    /** Whether such a name is one that statements have here, which clients do not know. */
    static boolean isOurs(String name) {
        return name.startsWith(OURS);
    }

    /** What to call a statement that a client means by one of our names: as it has none of the kind, one that is not there. */
    static String nobodys(String name) {
        return name + " of nobody";
    }

    /** The server's name of a statement that is prepared here. */
    @Nullable
    String nameOf(Statement statement) {
        return prepared.get(statement);
    }

    /**
     * What is to be sent so that a statement is prepared.
     *
     * @param displaced the server's name of the statement that makes room for it
     */
    record Preparation(
            String name, Statement statement, @Nullable String displaced) {}

    /** Notes a Parse, named as nothing else here, that {@link #send} writes; where there is no room, one for another. */
    Preparation prepare(Statement statement, Pipeline.Sent as, Runnable undo) {
        String displaced = null;
        if (prepared.size() >= MOST_PREPARED) {
            Map.Entry<Statement, String> oldest = prepared.entrySet().iterator().next();
            prepared.remove(oldest.getKey());
            displaced = oldest.getValue();
            pipeline.sent(Pipeline.Sent.OUR_CLOSE);
        }
        String name = OURS + ++sequence;
        prepared.put(statement, name);
        pipeline.sent(as, () -> {
            prepared.remove(statement, name);
            undo.run();
        });
        return new Preparation(name, statement, displaced);
    }

    /** It is not prepared here any more. */
    void forget(Statement statement) {
        prepared.remove(statement);
    }

    void send(Preparation preparation) throws IOException {
        String displaced = preparation.displaced();
        if (displaced != null) {
            out.header('C', 1 + FrameWriter.sizeOf(displaced))
                    .write(new byte[] {'S'}, 0, 1)
                    .cString(displaced);
        }
        parse(preparation.name(), preparation.statement());
    }

    void parse(String name, Statement statement) throws IOException {
        byte[] tail = statement.bytes();
        out.header('P', FrameWriter.sizeOf(name) + tail.length).cString(name).write(tail, 0, tail.length);
    }

    /**
     * Makes the settings those of a client. Blocks for a round trip where they are not.
     *
     * @throws SQLException as the server says, with its state; the connection is as usable as before
     */
    void adopt(Map<String, String> wanted) throws IOException, SQLException {
        if (settings.equals(wanted)) {
            return;
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
        run(commands.toString());
        settings.clear();
        settings.putAll(wanted);
    }

    /** Puts the session back to what it was when it was opened. Blocks. */
    void reset() throws IOException, SQLException {
        run(RESET);
        settings.clear();
        unnamed = null;
    }

    /** Runs commands of our own, in one implicit transaction; what they answer is for nobody. */
    private void run(String commands) throws IOException, SQLException {
        query(commands);
        SQLException failure = null;
        while (in.next()) {
            if (in.type() == 'S') {
                byte[] body = in.body(Buffers.SIZE);
                reported.put(FrameReader.cString(body, 0), FrameReader.cString(body, FrameReader.after(body, 0)));
            } else if (in.type() == 'E') {
                failure = Fields.failure(in.body(Buffers.SIZE));
            } else if (in.type() == 'Z') {
                if (failure != null) {
                    throw failure;
                }
                return;
            }
        }
        throw new IOException("the server closed the connection");
    }

    private void query(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        unnamed = null;
        out.header('Q', bytes.length + 1)
                .write(bytes, 0, bytes.length)
                .write(new byte[1], 0, 1)
                .flush();
    }

    @Override
    public void remove(Connection connection) throws SQLException {
        try (java.sql.Statement statement = connection.createStatement()) {
            StringBuilder commands = new StringBuilder("RESET ALL");
            prepared.values().forEach(name -> commands.append("; DEALLOCATE ").append(name));
            statement.execute(commands.toString());
        }
        settings.clear();
        prepared.clear();
    }
}
