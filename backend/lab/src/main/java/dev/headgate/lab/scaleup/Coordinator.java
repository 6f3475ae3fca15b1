package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import dev.headgate.lab.scaleup.DecisionLog.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Executes bookings that touch two sites under two-phase commit: both parts are prepared, the decision is logged at home, then both
 * parts are committed. From the log's row on the transaction is committed, whatever happens to the coordinator; without it, it is
 * rolled back. {@link Recovery} resolves what a crashed coordinator leaves.
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
        ALL_PREPARED,
        DECIDED,
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
     * @throws SQLException if it was rolled back; or, after both parts were prepared, if its outcome is for the recovery to find
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
        String homePart = id.at(booking.home());
        String accountPart = id.at(booking.accountSite());
        prepare(booking, home, homePart, account, accountPart);
        if (!DecisionLog.decide(home, id, Decision.COMMIT)) {
            throw new SQLException("the recovery has decided to roll back " + id.text());
        }
        watch.reached(Step.DECIDED);
        execute(home, "COMMIT PREPARED '" + homePart + "'");
        watch.reached(Step.HOME_COMMITTED);
        execute(account, "COMMIT PREPARED '" + accountPart + "'");
        watch.reached(Step.ALL_COMMITTED);
    }

    private void prepare(Booking booking, Connection home, String homePart, Connection account, String accountPart)
            throws SQLException {
        boolean accountPrepared = false;
        account.setAutoCommit(false);
        home.setAutoCommit(false);
        try {
            SplitBank.bookAccount(booking, account);
            SplitBank.bookTill(booking, home);
            watch.reached(Step.EXECUTED);
            execute(account, "PREPARE TRANSACTION '" + accountPart + "'");
            accountPrepared = true;
            watch.reached(Step.ACCOUNT_PREPARED);
            execute(home, "PREPARE TRANSACTION '" + homePart + "'");
            watch.reached(Step.ALL_PREPARED);
        } catch (SQLException e) {
            try {
                home.rollback();
                account.rollback();
                if (accountPrepared) {
                    account.setAutoCommit(true);
                    execute(account, "ROLLBACK PREPARED '" + accountPart + "'");
                }
            } catch (SQLException left) {
                e.addSuppressed(left); // the recovery finds it
            }
            throw e;
        }
        account.setAutoCommit(true);
        home.setAutoCommit(true);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
