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

    private MeteredQuery() {}

    static void measure() throws Exception {
        try (Subject subject = new Subject(30)) {
            Pool pool = subject.headgate("bank", 1);
            HikariDataSource hikari = subject.hikari(1);
            try (Lease lease = Subject.borrow(pool);
                    Connection bare = hikari.getConnection();
                    PreparedStatement ours = lease.connection().prepareStatement("SELECT 1");
                    PreparedStatement theirs = bare.prepareStatement("SELECT 1")) {
                run(ours);
                run(theirs);
                double[] our = new double[ROUNDS];
                double[] their = new double[ROUNDS];
                for (int i = 0; i < ROUNDS; i++) {
                    if (i % 2 == 0) {
                        our[i] = run(ours);
                        their[i] = run(theirs);
                    } else {
                        their[i] = run(theirs);
                        our[i] = run(ours);
                    }
                }
                System.out.println(
                        "SELECT 1, prepared, microseconds each, " + ROUNDS + " interleaved runs of " + QUERIES + ":");
                System.out.println("  metered   " + new Figures(our).show("%.2f"));
                System.out.println("  unmetered " + new Figures(their).show("%.2f"));
                System.out.printf(
                        "  ratio of medians %.3f (bar: at most 1.05); run by run %s%n",
                        new Figures(our).median() / new Figures(their).median(),
                        Figures.ratio(our, their).show("%.3f"));
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
