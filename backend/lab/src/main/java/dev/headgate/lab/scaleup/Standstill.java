package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A convoy made on purpose: for a while nobody can book at some sites, because a table that every booking needs is locked there.
 *
 * @param fromNanos when the last of them stood still, on {@link System#nanoTime}'s clock
 * @param toNanos when the first of them was let go
 */
record Standstill(List<Integer> sites, long fromNanos, long toNanos) {

    /**
     * Blocks for the time of the standstill and a few milliseconds.
     *
     * @param bank by connections that no booking needs: those that wait hold theirs
     */
    static Standstill of(SplitBank bank, List<Integer> sites, Duration length)
            throws SQLException, InterruptedException {
        List<Lease> held = new ArrayList<>();
        try {
            for (int site : sites) {
                Lease lease = bank.lease(site);
                held.add(lease);
                Connection connection = lease.connection();
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LOCK TABLE bank.pgbench_branches IN EXCLUSIVE MODE");
                }
            }
            long from = System.nanoTime();
            Thread.sleep(length);
            return new Standstill(sites, from, System.nanoTime());
        } finally {
            held.forEach(Lease::close); // which rolls back
        }
    }
}
