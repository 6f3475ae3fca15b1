package dev.headgate.lab.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.queries.QueryEngine;
import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerQueue;
import dev.headgate.sql.Query;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlSession;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The program of a {@link WebProcess}: a small web server with a pool of Headgate's. Each request is served by a virtual thread.
 *
 * <ul>
 *   <li>{@code /streamed?N}: the first N portraits, a line each, written as Headgate's query engine gets them from the server
 *   <li>{@code /materialised?N}: the same, read whole by JDBC before the first is written
 *   <li>{@code /contact?ID}: one row by its key, by the query engine
 * </ul>
 *
 * It ends with its standard input, so no process of it outlives the one that started it.
 */
final class WebServer {

    static final String PORTRAITS =
            "SELECT name, born, died, encode(image, 'base64'), life FROM gallery.portraits ORDER BY id LIMIT $1";
    static final String CONTACT = "SELECT id, name, phone FROM contacts WHERE id = $1";

    private static final int COLUMNS = 5;
    private static final int LISTEN_BACKLOG = 4_096;

    /** Of rows that wait for a reader; while there are more, the session reads none. */
    private static final int MOST_WAITING_BYTES = 32 * 1024;

    private final QueryEngine engine;
    private final Pool pool;

    private WebServer(QueryEngine engine, Pool pool) {
        this.engine = engine;
        this.pool = pool;
    }

    /** Reads host, port, database, user, password and the number of connections, a line each; says its port. */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String host = in.readLine();
        int port = Integer.parseInt(in.readLine());
        String database = in.readLine();
        String user = in.readLine();
        String password = in.readLine();
        int connections = Integer.parseInt(in.readLine());
        Target target = Target.of(database, host, port, database, user, password, connections)
                .withSslMode(Target.SslMode.DISABLE);
        // nobody shall measure a server of which a part is missing
        Supervisor supervisor = new Supervisor(
                InstantSource.system(), failure -> Runtime.getRuntime().halt(1));
        QueryEngine engine = new QueryEngine(supervisor);
        WebServer pages = new WebServer(engine, engine.open(target, connections));
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), LISTEN_BACKLOG);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(threads);
        server.createContext("/streamed", pages::streamed);
        server.createContext("/materialised", pages::materialised);
        server.createContext("/contact", pages::contact);
        server.start();
        System.out.println(server.getAddress().getPort());
        while (in.readLine() != null) {
            // the parent says no more
        }
        Runtime.getRuntime().halt(0); // nothing here is worth an orderly end
    }

    private static String argument(HttpExchange exchange) {
        return exchange.getRequestURI().getQuery();
    }

    private void streamed(HttpExchange exchange) throws IOException {
        try (exchange;
                SqlSession session = engine.session(pool)) {
            exchange.sendResponseHeaders(200, 0);
            AnswerQueue answers = new AnswerQueue(MOST_WAITING_BYTES);
            session.submit(List.of(Query.of(PORTRAITS, argument(exchange))), answers.from(session));
            try (OutputStream body = exchange.getResponseBody()) {
                pass(answers, body);
            }
        }
    }

    private void contact(HttpExchange exchange) throws IOException {
        try (exchange;
                SqlSession session = engine.session(pool)) {
            AnswerQueue answers = new AnswerQueue(MOST_WAITING_BYTES);
            session.submit(List.of(Query.of(CONTACT, argument(exchange))), answers.from(session));
            java.io.ByteArrayOutputStream body = new java.io.ByteArrayOutputStream();
            pass(answers, body);
            exchange.sendResponseHeaders(200, body.size());
            body.writeTo(exchange.getResponseBody());
        }
    }

    private static void pass(AnswerQueue answers, OutputStream body) throws IOException {
        try {
            while (true) {
                switch (answers.next().answer()) {
                    case Answer.Some some -> write(some.rows(), body);
                    case Answer.Failed failed -> throw new IOException(failed.why());
                    case Answer.Ended _ -> {
                        return;
                    }
                    case Answer.Columns _, Answer.Done _ -> {}
                }
            }
        } catch (InterruptedException e) {
            throw new IOException("the server ends", e);
        }
    }

    private static void write(Rows rows, OutputStream body) throws IOException {
        while (rows.next()) {
            for (int column = 0; column < rows.columns(); column++) {
                body.write(rows.bytes(), rows.offset(column), Math.max(0, rows.length(column)));
                body.write(column < rows.columns() - 1 ? '\t' : '\r');
            }
        }
    }

    private void materialised(HttpExchange exchange) throws IOException {
        try (exchange) {
            List<List<String>> all = read(Integer.parseInt(argument(exchange)));
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream body = exchange.getResponseBody()) {
                for (List<String> row : all) {
                    body.write((String.join("\t", row) + '\r').getBytes(StandardCharsets.UTF_8));
                }
            }
        }
    }

    /** The first portraits. The connection is given back before they are written. */
    private List<List<String>> read(int count) throws IOException {
        List<List<String>> all = new ArrayList<>();
        try (Lease lease = pool.acquire(LeaseRequest.by("materialised"));
                PreparedStatement statement = lease.connection().prepareStatement(PORTRAITS.replace("$1", "?"))) {
            statement.setInt(1, count);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    List<String> row = new ArrayList<>(COLUMNS);
                    for (int column = 1; column <= COLUMNS; column++) {
                        row.add(rows.getString(column));
                    }
                    all.add(row);
                }
            }
        } catch (SQLException e) {
            throw new IOException(e);
        }
        return all;
    }
}
