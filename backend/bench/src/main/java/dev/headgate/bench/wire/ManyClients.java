package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Ten thousand clients that log in and stay, and then prepare a hundred statements each. */
record ManyClients(Sheet sheet, Service service, String domain, boolean quick) {

    private static final int STATEMENTS = 100;
    private static final int AT_ONCE = 50;
    private static final Pattern RESERVED = Pattern.compile("\"holder\":\"wire\",\"reservedBytes\":([0-9]+)");

    void measure() throws Exception {
        int count = quick ? 500 : 10_000;
        long before = service.footprint().heap();
        ConcurrentLinkedQueue<Connection> clients = new ConcurrentLinkedQueue<>();
        Map<String, LongAdder> refusals = new ConcurrentSkipListMap<>();
        try {
            long began = System.nanoTime();
            each(IntStream.range(0, count).boxed().toList(), refusals, _ -> clients.add(connect()));
            double seconds = (System.nanoTime() - began) / 1e9;
            long idle = service.footprint().heap();
            Sheet.Entry headgate = sheet.entry("clients", "the service");
            headgate.add("clients", "%,.0f", clients.size());
            headgate.add("logged in within, s", "%.0f", seconds);
            headgate.add("heap for each, KB", "%.1f", (idle - before) / (double) clients.size());
            headgate.add("account, MB", "%.1f", reserved() / 1e6);
            headgate.answer("clients refused, by SQLSTATE", refusals.toString());
            refusals.clear();
            each(List.copyOf(clients), refusals, ManyClients::prepare);
            long said = reserved();
            long held = (service.footprint().heap() - idle) * 1024;
            headgate.add("statements each", "%.0f", STATEMENTS);
            headgate.add("heap for the statements, MB", "%.1f", held / 1e6);
            headgate.add("account with them, MB", "%.1f", said / 1e6);
            headgate.add("heap beside the account, %", "%+.0f", "within 20", 100.0 * (held - said) / said);
            headgate.answer("statements refused, by SQLSTATE", refusals.toString());
            sheet.print();
        } finally {
            for (Connection client : clients) {
                client.close();
            }
        }
    }

    private interface Step<T> {
        void take(T of) throws SQLException;
    }

    /** Takes the step with each, some at once; counts the SQLSTATEs of failures. */
    private static <T> void each(List<T> all, Map<String, LongAdder> failures, Step<T> step) {
        Semaphore places = new Semaphore(AT_ONCE);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (T one : all) {
                places.acquireUninterruptibly();
                var _ = threads.submit(() -> {
                    try {
                        step.take(one);
                    } catch (SQLException e) {
                        failures.computeIfAbsent(String.valueOf(e.getSQLState()), _ -> new LongAdder())
                                .increment();
                    } finally {
                        places.release();
                    }
                });
            }
        }
    }

    private Connection connect() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", Service.CLIENT);
        properties.setProperty("password", Service.PASSWORD);
        properties.setProperty("sslmode", "disable");
        properties.setProperty("prepareThreshold", "1");
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + service.wirePort() + "/" + domain, properties);
    }

    /** The driver keeps them prepared, under a name each. */
    private static void prepare(Connection client) throws SQLException {
        for (int i = 0; i < STATEMENTS; i++) {
            try (PreparedStatement statement = client.prepareStatement("select " + i + ", ?::int")) {
                statement.setInt(1, i);
                statement.execute();
            }
        }
    }

    private long reserved() throws Exception {
        String account = service.get("/api/v1/memory");
        Matcher found = RESERVED.matcher(account);
        if (!found.find()) {
            throw new IllegalStateException("GET /memory did not say what was expected: " + account);
        }
        return Long.parseLong(found.group(1));
    }
}
