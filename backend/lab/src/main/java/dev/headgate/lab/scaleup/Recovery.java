package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import dev.headgate.lab.scaleup.DecisionLog.Decision;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the prepared transactions of a coordinator and ends them as its log says: committed if the log says commit, else rolled back.
 * It first writes {@code abort} into the log for a transaction that is not decided, so that a coordinator that still runs cannot
 * commit it any more. It touches no prepared transaction of anybody else.
 *
 * <p>It needs connections of its own. What a crashed coordinator has prepared keeps its rows locked, so other bookings wait for them with
 * their connections, until none is left in the pools that they use.
 *
 * @param committed parts of transactions
 * @param rolledBack parts of transactions
 */
record Recovery(int committed, int rolledBack) {

    private static final String DOES_NOT_EXIST = "42704";

    /**
     * Resolves all parts that are prepared now, at all sites. May be repeated, and run by several at the same time. Blocks.
     *
     * @param bank by pools that nobody else uses
     */
    static Recovery of(SplitBank bank, String coordinator) throws SQLException {
        int committed = 0;
        int rolledBack = 0;
        for (int site = 0; site < bank.size(); site++) {
            for (String part : inDoubt(bank, site, coordinator)) {
                TransactionId id = TransactionId.of(part)
                        .orElseThrow(() -> new SQLException("not the name of a part of a transaction: " + part));
                Decision decision = decide(bank, id);
                if (end(bank, site, part, decision)) {
                    committed += decision == Decision.COMMIT ? 1 : 0;
                    rolledBack += decision == Decision.ABORT ? 1 : 0;
                }
            }
        }
        return new Recovery(committed, rolledBack);
    }

    /** All that it resolved. */
    int parts() {
        return committed + rolledBack;
    }

    /** This one and another one. */
    Recovery and(Recovery other) {
        return new Recovery(committed + other.committed, rolledBack + other.rolledBack);
    }

    /** The prepared parts of a coordinator's transactions at all sites. */
    static int inDoubt(SplitBank bank, String coordinator) throws SQLException {
        int found = 0;
        for (int site = 0; site < bank.size(); site++) {
            found += inDoubt(bank, site, coordinator).size();
        }
        return found;
    }

    private static List<String> inDoubt(SplitBank bank, int site, String coordinator) throws SQLException {
        try (Lease lease = bank.lease(site);
                PreparedStatement select = lease.connection()
                        .prepareStatement(
                                "SELECT gid FROM pg_prepared_xacts"
                                        + " WHERE database = current_database() AND starts_with(gid, ?) ORDER BY prepared, gid")) {
            select.setString(1, TransactionId.prefix(coordinator));
            List<String> found = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getString(1));
                }
            }
            return found;
        }
    }

    private static Decision decide(SplitBank bank, TransactionId id) throws SQLException {
        try (Lease lease = bank.lease(id.home())) {
            return DecisionLog.decide(lease.connection(), id, Decision.ABORT)
                    ? Decision.ABORT
                    : DecisionLog.of(lease.connection(), id);
        }
    }

    /** @return false if somebody else has ended it meanwhile */
    private static boolean end(SplitBank bank, int site, String part, Decision decision) throws SQLException {
        String how = decision == Decision.COMMIT ? "COMMIT" : "ROLLBACK";
        try (Lease lease = bank.lease(site);
                Statement statement = lease.connection().createStatement()) {
            statement.execute(how + " PREPARED '" + part + "'");
            return true;
        } catch (SQLException e) {
            if (DOES_NOT_EXIST.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }
}
