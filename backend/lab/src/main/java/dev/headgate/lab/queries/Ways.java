package dev.headgate.lab.queries;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.lab.link.DelayedLink;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What the experiments of this package share: their table, targets behind a link, and the measuring of a way. */
final class Ways {

    static final int KEYS = 20_000;

    private Ways() {}

    /** A database with the table that {@link Way#QUERY} asks. Blocks for some tenths of a second. */
    static Target prepare(Laboratory laboratory, String name, int budget) throws SQLException {
        Target target = laboratory.database(name, budget);
        try (Connection connection = Laboratory.connect(target);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84))");
            statement.execute(
                    "INSERT INTO pgbench_accounts SELECT n, 1, 0, '' FROM generate_series(1, " + KEYS + ") n");
            statement.execute("VACUUM ANALYZE pgbench_accounts");
        }
        return target;
    }

    /** The same database through a link. */
    static Target through(DelayedLink link, Target target) {
        return Target.of(
                        target.name(),
                        "127.0.0.1",
                        link.port(),
                        target.database(),
                        target.user(),
                        target.password(),
                        target.budget())
                .withSslMode(Target.SslMode.DISABLE);
    }

    /** Milliseconds for so many queries; the answers are checked. */
    static double millis(Way way, int queries, SplittableRandom random) throws Exception {
        int[] keys = random.ints(queries, 1, KEYS + 1).toArray();
        long begin = System.nanoTime();
        long sum = way.run(keys);
        double millis = (System.nanoTime() - begin) / 1e6;
        if (sum != Arrays.stream(keys).asLongStream().sum()) {
            throw new IllegalStateException("other rows were returned than were asked for");
        }
        return millis;
    }
}
