package dev.headgate.lab.scaleup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The decisions on distributed transactions, in a table at the home of each. A transaction is decided once: by whoever writes its row
 * first, the coordinator ({@code commit}) or the recovery ({@code abort}). So they can never act on different decisions, even if the
 * recovery takes a slow coordinator for a crashed one.
 */
final class DecisionLog {

    /** Of each site. Rows stay: they are small, and a run is short. */
    static final String TABLE = "CREATE TABLE bank.coordinator_log (transaction text PRIMARY KEY,"
            + " decision text NOT NULL CHECK (decision IN ('commit', 'abort')),"
            + " decided timestamptz NOT NULL DEFAULT now())";

    /** What becomes of a transaction. */
    enum Decision {
        COMMIT("commit"),
        ABORT("abort");

        private final String text;

        Decision(String text) {
            this.text = text;
        }
    }

    private DecisionLog() {}

    /**
     * Decides a transaction, unless it is decided already. Blocks, also while another transaction that has decided it is not over.
     *
     * @param home a connection of the transaction's home. The decision counts when its transaction commits
     * @return whether this call decided it
     */
    static boolean decide(Connection home, TransactionId transaction, Decision decision) throws SQLException {
        try (PreparedStatement insert = home.prepareStatement(
                "INSERT INTO bank.coordinator_log (transaction, decision) VALUES (?, ?) ON CONFLICT DO NOTHING")) {
            insert.setString(1, transaction.text());
            insert.setString(2, decision.text);
            return insert.executeUpdate() == 1;
        }
    }

    /** The decision on a transaction that is decided. Blocks. */
    static Decision of(Connection home, TransactionId transaction) throws SQLException {
        try (PreparedStatement select =
                home.prepareStatement("SELECT decision FROM bank.coordinator_log WHERE transaction = ?")) {
            select.setString(1, transaction.text());
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException(transaction.text() + " was decided, and its decision is gone");
                }
                return row.getString(1).equals(Decision.COMMIT.text) ? Decision.COMMIT : Decision.ABORT;
            }
        }
    }
}
