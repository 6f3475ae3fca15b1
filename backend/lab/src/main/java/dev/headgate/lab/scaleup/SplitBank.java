package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.SessionReset;
import dev.headgate.lab.Client;
import dev.headgate.lab.demo.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * TPC-B over several databases, its <em>sites</em>: each has branches with their tellers, accounts and history, in pgbench's tables.
 * A booking's teller, branch and history are at its home; its account may be at another site. TPC-B scales a bank by its branches: a
 * site has {@value #BRANCHES}, so that the row of a branch is not the bottleneck. It has {@value #ACCOUNTS_OF_BRANCH} accounts for
 * each, a hundredth of TPC-B's, to be set up quickly.
 *
 * <p>Every transaction locks one account, then one teller, then one branch. Because that order is the same at all sites, no deadlock
 * can span two databases, which PostgreSQL could not see.
 *
 * <p>Immutable; any number of threads may use it.
 */
final class SplitBank {

    static final int BRANCHES = 20;
    static final int TELLERS_OF_BRANCH = 10;
    static final int ACCOUNTS_OF_BRANCH = 1_000;
    private static final int LARGEST_AMOUNT = 5_000;

    /** The bookings restore what they change in a session: JDBC's own properties. */
    private static final LeaseRequest REQUEST = new LeaseRequest("booking", Long.MAX_VALUE, SessionReset.NEVER);

    private final List<Pool> sites;

    /** @param sites pools of databases that were {@link #setUp} */
    SplitBank(List<Pool> sites) {
        this.sites = List.copyOf(sites);
    }

    int size() {
        return sites.size();
    }

    /** The bank over its first sites alone. */
    SplitBank first(int number) {
        return new SplitBank(sites.subList(0, number));
    }

    /** Blocks until the site has a connection. */
    Lease lease(int site) throws SQLException {
        return sites.get(site).acquire(REQUEST);
    }

    /** Creates the tables and rows of one site in an empty database. Blocks for some tenths of a second. */
    static void setUp(Pool site) throws SQLException {
        try (Lease lease = site.acquire(REQUEST);
                Statement statement = lease.connection().createStatement()) {
            for (String sql : List.of(
                    "CREATE SCHEMA bank",
                    "CREATE TABLE bank.pgbench_branches (bid int PRIMARY KEY, bbalance bigint NOT NULL, filler char(88))",
                    "CREATE TABLE bank.pgbench_tellers"
                            + " (tid int PRIMARY KEY, bid int NOT NULL, tbalance bigint NOT NULL, filler char(84))",
                    "CREATE TABLE bank.pgbench_accounts"
                            + " (aid int PRIMARY KEY, bid int NOT NULL, abalance bigint NOT NULL, filler char(84))",
                    "CREATE TABLE bank.pgbench_history"
                            + " (tid int, bid int, site int, aid int, delta int, mtime timestamp, filler char(22))",
                    DecisionLog.TABLE,
                    "INSERT INTO bank.pgbench_branches SELECT n, 0, '' FROM generate_series(1, " + BRANCHES + ") n",
                    "INSERT INTO bank.pgbench_tellers SELECT n, 1 + (n - 1) / " + TELLERS_OF_BRANCH
                            + ", 0, '' FROM generate_series(1, " + BRANCHES * TELLERS_OF_BRANCH + ") n",
                    "INSERT INTO bank.pgbench_accounts SELECT n, 1 + (n - 1) / " + ACCOUNTS_OF_BRANCH
                            + ", 0, '' FROM generate_series(1, " + BRANCHES * ACCOUNTS_OF_BRANCH + ") n",
                    "ANALYZE")) {
                statement.execute(sql);
            }
        }
    }

    /**
     * Draws a booking. Every site is as likely as any other to be its home.
     *
     * @param distributedShare the probability that the account is at another site; ignored by a bank with one site
     */
    Booking draw(Client client, double distributedShare) {
        int home = client.random().nextInt(size());
        int accountSite = home;
        if (size() > 1 && client.random().nextDouble() < distributedShare) {
            accountSite = (home + client.oneOf(size() - 1)) % size();
        }
        return new Booking(
                home,
                accountSite,
                client.oneOf(BRANCHES * ACCOUNTS_OF_BRANCH),
                client.oneOf(BRANCHES * TELLERS_OF_BRANCH),
                client.random().nextInt(-LARGEST_AMOUNT, LARGEST_AMOUNT + 1));
    }

    /** Executes a booking whose account is at home, in one transaction. Blocks. */
    void book(Booking booking) throws SQLException {
        try (Lease lease = lease(booking.home())) {
            book(booking, lease.connection());
        }
    }

    /** The same, on a connection of the home. */
    static void book(Booking booking, Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try {
            bookAccount(booking, connection);
            bookTill(booking, connection);
            connection.commit();
        } catch (SQLException | RuntimeException e) {
            connection.rollback();
            throw e;
        } finally {
            connection.setAutoCommit(true);
        }
    }

    /** The part of a booking at the account's site. */
    static void bookAccount(Booking booking, Connection connection) throws SQLException {
        Sql.update(
                connection,
                "UPDATE bank.pgbench_accounts SET abalance = abalance + ? WHERE aid = ?",
                booking.amount(),
                booking.account());
        Sql.query(connection, "SELECT abalance FROM bank.pgbench_accounts WHERE aid = ?", booking.account());
    }

    /** The part of a booking at its home. */
    static void bookTill(Booking booking, Connection connection) throws SQLException {
        int branch = 1 + (booking.teller() - 1) / TELLERS_OF_BRANCH;
        Sql.update(
                connection,
                "UPDATE bank.pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?",
                booking.amount(),
                booking.teller());
        Sql.update(
                connection,
                "UPDATE bank.pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?",
                booking.amount(),
                branch);
        Sql.update(
                connection,
                "INSERT INTO bank.pgbench_history (tid, bid, site, aid, delta, mtime)"
                        + " VALUES (?, ?, ?, ?, ?, CURRENT_TIMESTAMP)",
                booking.teller(),
                branch,
                booking.accountSite(),
                booking.account(),
                booking.amount());
    }

    /**
     * The sums over all sites.
     *
     * @param bookings lines of the history
     */
    record Balance(long accounts, long tellers, long branches, long history, long bookings) {

        /** Whether no booking was executed in part. */
        boolean addsUp() {
            return accounts == history && tellers == history && branches == history;
        }
    }

    /** Blocks; meant for a bank in which nobody books. */
    Balance balance() throws SQLException {
        return new Balance(
                sum("SELECT sum(abalance) FROM bank.pgbench_accounts"),
                sum("SELECT sum(tbalance) FROM bank.pgbench_tellers"),
                sum("SELECT sum(bbalance) FROM bank.pgbench_branches"),
                sum("SELECT sum(delta) FROM bank.pgbench_history"),
                sum("SELECT count(*) FROM bank.pgbench_history"));
    }

    private long sum(String query) throws SQLException {
        long sum = 0;
        for (int site = 0; site < size(); site++) {
            try (Lease lease = lease(site)) {
                sum += Sql.query(lease.connection(), query);
            }
        }
        return sum;
    }
}
