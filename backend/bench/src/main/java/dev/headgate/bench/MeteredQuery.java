package dev.headgate.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Lease;
import dev.headgate.engine.Pool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** {@code SELECT 1} on a metered connection and on an unmetered one, each held for the whole run. */
final class MeteredQuery {

    private static final int ROUNDS = 21;
    private static final int QUERIES = 20_000;
    private static final String ROW = "SELECT 1, prepared";
    private static final String MICROS = "microseconds each";

    private MeteredQuery() {}

    static void measure(Sheet sheet) throws Exception {
        try (Subject subject = new Subject(30)) {
            Pool pool = subject.headgate("bank", 1);
            HikariDataSource hikari = subject.hikari(1);
            try (Lease lease = Subject.borrow(pool);
                    Connection bare = hikari.getConnection();
                    PreparedStatement ours = lease.connection().prepareStatement("SELECT 1");
                    PreparedStatement theirs = bare.prepareStatement("SELECT 1")) {
                run(ours);
                run(theirs);
                Sheet.Entry metered = sheet.entry(ROW, "metered");
                Sheet.Entry unmetered = sheet.entry(ROW, "unmetered");
                for (int i = 0; i < ROUNDS; i++) {
                    if (i % 2 == 0) {
                        metered.add(MICROS, "%.2f", run(ours));
                        unmetered.add(MICROS, "%.2f", run(theirs));
                    } else {
                        unmetered.add(MICROS, "%.2f", run(theirs));
                        metered.add(MICROS, "%.2f", run(ours));
                    }
                }
                metered.times(unmetered, MICROS, "at most 1.05");
            }
        }
    }

    private static double run(PreparedStatement statement) throws SQLException {
        long began = System.nanoTime();
        for (int i = 0; i < QUERIES; i++) {
            try (ResultSet row = statement.executeQuery()) {
                row.next();
            }
        }
        return (System.nanoTime() - began) / 1e3 / QUERIES;
    }
}
