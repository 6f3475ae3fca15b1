package dev.headgate.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.postgresql.ds.PGSimpleDataSource;

/** The two sides: Headgate and bare HikariCP on one embedded PostgreSQL, with the same driver and size. */
final class Subject implements AutoCloseable {

    private static final LeaseRequest REQUEST = LeaseRequest.by("bench");

    final EmbeddedPostgres server;
    final Engine engine = Engine.start("bench", EngineListener.NONE);
    final Database database;
    private final List<HikariDataSource> bare = new ArrayList<>();

    Subject(int budget) throws IOException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "120")
                .start();
        database =
                engine.open(Target.of("main", "127.0.0.1", server.getPort(), "postgres", "postgres", "postgres", budget)
                        .withSslMode(Target.SslMode.DISABLE));
    }

    static PolicySet fixed(long revision, int floor, int ceiling) {
        Limits limits = Limits.unbounded().withFloor(floor).withCeiling(ceiling).because("fixed for the measurement");
        return PolicySet.of(
                revision, WhenExhausted.queue(60_000, 100_000), new PolicySet.Member("fixed", view -> limits));
    }

    /** A pool with all its connections open. */
    Pool headgate(String domain, int size) {
        Pool pool = database.open(domain, fixed(1, size, size));
        while (pool.status().idle() < size) {
            LockSupport.parkNanos(1_000_000);
        }
        return pool;
    }

    /** Bare HikariCP of the same size, with all its connections open. */
    HikariDataSource hikari(int size) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {"127.0.0.1"});
        source.setPortNumbers(new int[] {server.getPort()});
        source.setDatabaseName("postgres");
        source.setUser("postgres");
        source.setPassword("postgres");
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(size);
        config.setConnectionTimeout(60_000);
        HikariDataSource pool = new HikariDataSource(config);
        bare.add(pool);
        while (pool.getHikariPoolMXBean().getIdleConnections() < size) {
            LockSupport.parkNanos(1_000_000);
        }
        return pool;
    }

    static Lease borrow(Pool pool) throws SQLException {
        return pool.acquire(REQUEST);
    }

    int backends(String domain) throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                        "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres", "postgres", "postgres");
                var statement = connection.prepareStatement(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?")) {
            statement.setString(1, "headgate " + domain);
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    @Override
    public void close() throws IOException {
        engine.close();
        bare.forEach(HikariDataSource::close);
        server.close();
    }
}
