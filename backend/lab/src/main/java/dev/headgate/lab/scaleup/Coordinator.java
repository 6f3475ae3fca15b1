package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import dev.headgate.lab.scaleup.DecisionLog.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Executes bookings that touch two sites under two-phase commit with its last-agent optimisation (Samaras, Britton, Citron and Mohan,
 * "Two-phase commit optimizations and tradeoffs in the commercial environment", ICDE 1993): the account's part is prepared; the home,
 * the last agent, writes the decision into its log and commits both its part and the decision at once; then the account's part is
 * committed. The home prepares nothing, so three flushes to disk do what plain two-phase commit does with five.
 *
 * <p>The home's commit decides: without it the transaction is rolled back, from it on it is committed, whatever happens to the
 * coordinator. {@link Recovery} resolves what a crashed coordinator leaves.
 *
 * <p>It leases the connection of the lower site first, so that two transactions never wait for each other's pool.
 *
 * <p>Any number of threads may use it.
 */
final class Coordinator {

    /** What has been done when a transaction may be interrupted by the coordinator's end, in this order. */
    enum Step {
        EXECUTED,
        ACCOUNT_PREPARED,
        /** In the home's transaction, which is not committed. */
        LOGGED,
        HOME_COMMITTED,
        ALL_COMMITTED
    }

    /** Is told of each step. May end the coordinator's thread there by throwing. */
    @FunctionalInterface
    interface Watch {
        void reached(Step step);
    }

    private final String name;
    private final SplitBank bank;
    private final Watch watch;
    private final AtomicLong numbers = new AtomicLong();

    /** @param name unique among the coordinators of this bank, also past ones: the log would take one for the other */
    Coordinator(String name, SplitBank bank, Watch watch) {
        this.name = name;
        this.bank = bank;
        this.watch = watch;
    }

    String name() {
        return name;
    }

    /**
     * Executes a distributed booking. Blocks.
     *
     * @throws SQLException if it was rolled back; or, if the home's commit or a later step failed, its outcome is for the recovery to
     *     find
     */
    void book(Booking booking) throws SQLException {
        int low = Math.min(booking.home(), booking.accountSite());
        int high = Math.max(booking.home(), booking.accountSite());
        try (Lease first = bank.lease(low);
                Lease second = bank.lease(high)) {
            Lease home = low == booking.home() ? first : second;
            Lease account = low == booking.home() ? second : first;
            try {
                book(booking, home.connection(), account.connection());
            } catch (RuntimeException | Error stopped) {
                home.discard(); // it may be anywhere; the server rolls back what is not prepared
                account.discard();
                throw stopped;
            }
        }
    }

    private void book(Booking booking, Connection home, Connection account) throws SQLException {
        TransactionId id = new TransactionId(name, booking.home(), numbers.incrementAndGet());
        String part = id.at(booking.accountSite());
        prepare(booking, home, account, id, part);
        home.commit();
        home.setAutoCommit(true);
        watch.reached(Step.HOME_COMMITTED);
        execute(account, "COMMIT PREPARED '" + part + "'");
        watch.reached(Step.ALL_COMMITTED);
    }

    /** All but the home's commit. */
    private void prepare(Booking booking, Connection home, Connection account, TransactionId id, String part)
            throws SQLException {
        boolean prepared = false;
        account.setAutoCommit(false);
        home.setAutoCommit(false);
        try {
            SplitBank.bookAccount(booking, account);
            SplitBank.bookTill(booking, home);
            watch.reached(Step.EXECUTED);
            execute(account, "PREPARE TRANSACTION '" + part + "'");
            prepared = true;
            account.setAutoCommit(true);
            watch.reached(Step.ACCOUNT_PREPARED);
            if (!DecisionLog.decide(home, id, Decision.COMMIT)) {
                throw new SQLException("the recovery has decided to roll back " + id.text());
            }
            watch.reached(Step.LOGGED);
        } catch (SQLException e) {
            try {
                home.rollback();
                home.setAutoCommit(true);
                if (prepared) {
                    execute(account, "ROLLBACK PREPARED '" + part + "'");
                } else {
                    account.rollback();
                    account.setAutoCommit(true);
                }
            } catch (SQLException left) {
                e.addSuppressed(left); // the recovery finds it
            }
            throw e;
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
