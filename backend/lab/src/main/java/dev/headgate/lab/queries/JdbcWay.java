package dev.headgate.lab.queries;

import dev.headgate.engine.connect.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** By pgjdbc with statements that are prepared on the server: one query after another, or by threads with a connection each. */
public final class JdbcWay implements Way {

    private final List<Connection> connections = new ArrayList<>();
    private final BlockingQueue<PreparedStatement> free;
    private final ExecutorService threads;

    /** @param width connections and threads; with one, the caller's thread executes the queries */
    public JdbcWay(Target target, int width) throws SQLException {
        free = new ArrayBlockingQueue<>(width);
        threads = Executors.newFixedThreadPool(width);
        for (int i = 0; i < width; i++) {
            Connection connection = DriverManager.getConnection(
                    "jdbc:postgresql://" + target.host() + ":" + target.port() + "/" + target.database()
                            + "?sslmode=disable&prepareThreshold=1",
                    target.user(),
                    target.password());
            connections.add(connection);
            free.add(connection.prepareStatement(QUERY.replace("$1", "?")));
        }
    }

    @Override
    public long run(int[] keys) throws Exception {
        long sum = 0;
        if (connections.size() == 1) {
            for (int key : keys) {
                sum += query(key);
            }
            return sum;
        }
        List<Future<Long>> answers = new ArrayList<>();
        for (int key : keys) {
            answers.add(threads.submit(() -> query(key)));
        }
        for (Future<Long> answer : answers) {
            sum += answer.get();
        }
        return sum;
    }

    private long query(int key) throws SQLException, InterruptedException {
        PreparedStatement statement = free.take();
        try {
            statement.setInt(1, key);
            try (ResultSet rows = statement.executeQuery()) {
                long sum = 0;
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
                return sum;
            }
        } finally {
            free.add(statement);
        }
    }

    @Override
    public void close() throws SQLException {
        threads.shutdownNow();
        for (Connection connection : connections) {
            connection.close();
        }
    }
}
