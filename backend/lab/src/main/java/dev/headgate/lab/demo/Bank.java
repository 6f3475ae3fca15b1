package dev.headgate.lab.demo;

import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * TPC-B in pgbench's own schema at scale 1, so that {@code pgbench} can run beside it, with pgbench's "tpcb-like"
 * transaction: a teller books an amount to an account, the till and the branch, and writes the history.
 *
 * <p>Between the statements the teller's program works for one or two milliseconds. So the single branch is the
 * bottleneck, as in TPC-B at scale 1: its row is locked from the update to the commit, about 6 ms. At rest (40 a second)
 * transactions hardly ever meet at that lock. From 120 a second on, more connections add waiters but no throughput.
 */
public final class Bank implements Application {

    private static final int TELLERS = 10;
    private static final int ACCOUNTS = 100_000;
    private static final int LARGEST_AMOUNT = 5_000;
    private static final long LARGEST_HISTORY_BYTES = 256L << 20;
    private static final double TELLER_WORK_MILLIS = 2;

    @Override
    public String name() {
        return "bank";
    }

    @Override
    public String description() {
        return "TPC-B in pgbench's schema: one branch, ten tellers, a hundred thousand accounts";
    }

    @Override
    public Pace pace() {
        return new Pace(40, true);
    }

    @Override
    public String schema() {
        return "bank";
    }

    @Override
    public Mix mix() {
        return Mix.builder()
                .add("teller", 4_999, Bank::book)
                .add("day's end", 1, Bank::clearHistory)
                .build();
    }

    /** Empties the history, as pgbench does at its start; otherwise it would grow by 200 MB a day. */
    private static void clearHistory(Connection connection, Client client) throws SQLException {
        if (Sql.query(connection, "SELECT pg_relation_size('bank.pgbench_history')") > LARGEST_HISTORY_BYTES) {
            Schema.execute(connection, "TRUNCATE bank.pgbench_history");
        }
    }

    private static void book(Connection connection, Client client) throws SQLException, InterruptedException {
        int account = client.oneOf(ACCOUNTS);
        int teller = client.oneOf(TELLERS);
        int amount = client.random().nextInt(-LARGEST_AMOUNT, LARGEST_AMOUNT + 1);
        Sql.update(
                connection, "UPDATE bank.pgbench_accounts SET abalance = abalance + ? WHERE aid = ?", amount, account);
        client.work(TELLER_WORK_MILLIS);
        Sql.query(connection, "SELECT abalance FROM bank.pgbench_accounts WHERE aid = ?", account);
        client.work(TELLER_WORK_MILLIS);
        Sql.update(connection, "UPDATE bank.pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?", amount, teller);
        client.work(TELLER_WORK_MILLIS);
        Sql.update(connection, "UPDATE bank.pgbench_branches SET bbalance = bbalance + ? WHERE bid = 1", amount);
        client.work(TELLER_WORK_MILLIS);
        Sql.update(
                connection,
                "INSERT INTO bank.pgbench_history (tid, bid, aid, delta, mtime) VALUES (?, 1, ?, ?, CURRENT_TIMESTAMP)",
                teller,
                account,
                amount);
    }

    @Override
    public void setUp(Connection connection) throws SQLException {
        Schema.ensure(connection, schema(), Bank::createTables);
    }

    private static void createTables(Connection connection) throws SQLException {
        Schema.execute(
                connection,
                "CREATE TABLE bank.pgbench_history"
                        + " (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))",
                "CREATE TABLE bank.pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84))"
                        + " WITH (fillfactor=100)",
                "CREATE TABLE bank.pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84))"
                        + " WITH (fillfactor=100)",
                "CREATE TABLE bank.pgbench_branches (bid int NOT NULL, bbalance int, filler char(88))"
                        + " WITH (fillfactor=100)",
                "INSERT INTO bank.pgbench_branches (bid, bbalance) VALUES (1, 0)",
                "INSERT INTO bank.pgbench_tellers (tid, bid, tbalance) SELECT n, 1, 0 FROM generate_series(1, "
                        + TELLERS + ") n",
                "INSERT INTO bank.pgbench_accounts (aid, bid, abalance, filler) SELECT n, 1, 0, ''"
                        + " FROM generate_series(1, " + ACCOUNTS + ") n",
                "ALTER TABLE bank.pgbench_branches ADD PRIMARY KEY (bid)",
                "ALTER TABLE bank.pgbench_tellers ADD PRIMARY KEY (tid)",
                "ALTER TABLE bank.pgbench_accounts ADD PRIMARY KEY (aid)",
                "ANALYZE bank.pgbench_accounts");
    }
}
