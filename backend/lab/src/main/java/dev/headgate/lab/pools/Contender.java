package dev.headgate.lab.pools;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A pool under measurement. All have the same number of connections to the same server, by the same driver, and a queue without a
 * bound.
 *
 * @param name as reports call it
 * @param fetch gets a connection, from any thread; blocks
 */
record Contender(String name, FetchLoop.Fetch fetch) {

    /** The loop alone: what it measures is the operating system. */
    static final String NONE = "no pool";

    static final String HEADGATE = "Headgate";
    static final String HEADGATE_ASYNC = "Headgate, asynchronous";
    static final String HIKARI = "HikariCP";
    static final String TOMCAT_UNFAIR = "Tomcat unfair";
    static final String TOMCAT_FAIR = "Tomcat fair";
    static final String TOMCAT_ASYNC = "Tomcat fair, asynchronous";
    static final String TOMCAT_SELDOM = "Tomcat fair, validated every 3 s";

    private static final int PATIENCE_MILLIS = 30_000;
    private static final int VALIDATION_SECONDS = 5;
    private static final long TOMCAT_DEFAULT_INTERVAL_MILLIS = 3_000;

    /** The contenders of the experiment. Closing it closes all their pools. */
    static final class Field implements AutoCloseable {

        private final Target target;
        private final int size;
        private final Supervisor supervisor;
        private final List<Runnable> open = new ArrayList<>();

        /** @param supervisor receives the failures of Headgate's threads */
        Field(Target target, int size, Supervisor supervisor) {
            this.target = target;
            this.size = size;
            this.supervisor = supervisor;
        }

        /** Those that only fetch. */
        List<Contender> plain() throws SQLException, InterruptedException {
            Pool ours = headgate();
            org.apache.tomcat.jdbc.pool.DataSource fair = tomcat(true);
            LeaseRequest request = LeaseRequest.by("lab");
            Connection nothing = nothing();
            return List.of(
                    new Contender(NONE, () -> nothing),
                    new Contender(HEADGATE, ours.dataSource("lab")::getConnection),
                    new Contender(
                            HEADGATE_ASYNC,
                            () -> ours.acquireAsync(request)
                                    .toCompletableFuture()
                                    .get()
                                    .connection()),
                    new Contender(HIKARI, hikari()::getConnection),
                    new Contender(TOMCAT_UNFAIR, tomcat(false)::getConnection),
                    new Contender(TOMCAT_FAIR, fair::getConnection),
                    new Contender(TOMCAT_ASYNC, () -> fair.getConnectionAsync().get()));
        }

        /**
         * Those that validate the connection by a round trip at each fetch: Tomcat's by its own setting, the others, which have no
         * such setting, by {@link Connection#isValid} after the fetch; asynchronously when the connection is there. The last is
         * Tomcat's as its default has it.
         */
        List<Contender> validating(List<Contender> plain) throws SQLException {
            org.apache.tomcat.jdbc.pool.DataSource fair = validating(true, 0);
            return List.of(
                    validated(plain, HEADGATE),
                    validated(plain, HEADGATE_ASYNC),
                    validated(plain, HIKARI),
                    new Contender(TOMCAT_UNFAIR, validating(false, 0)::getConnection),
                    new Contender(TOMCAT_FAIR, fair::getConnection),
                    new Contender(TOMCAT_ASYNC, () -> fair.getConnectionAsync().get()),
                    new Contender(TOMCAT_SELDOM, validating(true, TOMCAT_DEFAULT_INTERVAL_MILLIS)::getConnection));
        }

        private static Contender validated(List<Contender> plain, String name) {
            FetchLoop.Fetch fetch = plain.stream()
                    .filter(each -> each.name().equals(name))
                    .findFirst()
                    .orElseThrow()
                    .fetch();
            return new Contender(name, () -> {
                Connection connection = fetch.get();
                if (!connection.isValid(VALIDATION_SECONDS)) {
                    connection.close();
                    throw new SQLException("a connection is not valid any more");
                }
                return connection;
            });
        }

        /** A connection that can only be closed, any number of times. */
        private static Connection nothing() {
            return (Connection) Proxy.newProxyInstance(
                    Contender.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, values) -> {
                        if (method.getName().equals("close")) {
                            return null;
                        }
                        throw new UnsupportedOperationException(method.getName());
                    });
        }

        private Pool headgate() throws InterruptedException {
            Engine engine = Engine.start("lab", EngineListener.NONE, supervisor);
            open.add(engine::close);
            return FixedPool.open(engine.open(target), "lab-pools", size);
        }

        private HikariDataSource hikari() {
            HikariConfig config = new HikariConfig();
            config.setPoolName("lab-pools");
            config.setDataSource(source());
            config.setMaximumPoolSize(size);
            config.setMinimumIdle(size);
            config.setConnectionTimeout(PATIENCE_MILLIS);
            HikariDataSource pool = new HikariDataSource(config);
            open.add(pool::close);
            return pool;
        }

        private org.apache.tomcat.jdbc.pool.DataSource tomcat(boolean fair) throws SQLException {
            return tomcat(properties(fair));
        }

        private org.apache.tomcat.jdbc.pool.DataSource validating(boolean fair, long intervalMillis)
                throws SQLException {
            PoolProperties properties = properties(fair);
            properties.setTestOnBorrow(true);
            properties.setValidationInterval(intervalMillis);
            return tomcat(properties);
        }

        private PoolProperties properties(boolean fair) {
            PoolProperties properties = new PoolProperties();
            properties.setDataSource(source());
            properties.setJmxEnabled(false);
            properties.setFairQueue(fair);
            properties.setInitialSize(size);
            properties.setMaxActive(size);
            properties.setMaxIdle(size);
            properties.setMinIdle(size);
            properties.setMaxWait(PATIENCE_MILLIS);
            return properties;
        }

        private org.apache.tomcat.jdbc.pool.DataSource tomcat(PoolProperties properties) throws SQLException {
            org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(properties);
            open.add(pool::close);
            pool.createPool();
            return pool;
        }

        private PGSimpleDataSource source() {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setServerNames(new String[] {target.host()});
            source.setPortNumbers(new int[] {target.port()});
            source.setDatabaseName(target.database());
            source.setUser(target.user());
            source.setPassword(target.password());
            source.setSslMode(target.sslMode().label());
            source.setConnectTimeout((int)
                    TimeUnit.MILLISECONDS.toSeconds(target.connectTimeout().toMillis()));
            return source;
        }

        @Override
        public void close() {
            open.reversed().forEach(Runnable::run);
        }
    }
}
