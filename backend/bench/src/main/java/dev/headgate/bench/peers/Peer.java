package dev.headgate.bench.peers;

import com.alibaba.druid.pool.DruidDataSource;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.lab.experiment.Jar;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration;
import io.agroal.api.configuration.AgroalConnectionPoolConfiguration.ConnectionValidator;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.PostgreSQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.vibur.dbcp.ViburDBCPDataSource;

/**
 * A pool that has a DataSource. All use the same driver and the same {@link Settings}; what these do not name stays as the pool
 * ships it.
 */
enum Peer {
    HEADGATE("Headgate", Engine.class, "Pool.status(), listeners, REST", Peer::headgate),
    HIKARI("HikariCP", HikariDataSource.class, "MBeans, metrics trackers", Peer::hikari),
    TOMCAT_FAIR(
            "Tomcat fair",
            PoolProperties.class,
            "MBeans",
            (self, server, settings) -> tomcat(self, server, settings, true)),
    TOMCAT_UNFAIR(
            "Tomcat unfair",
            PoolProperties.class,
            "MBeans",
            (self, server, settings) -> tomcat(self, server, settings, false)),
    DBCP2("DBCP2", BasicDataSource.class, "MBeans", Peer::dbcp2),
    AGROAL("Agroal", AgroalDataSource.class, "getMetrics(), listeners", Peer::agroal),
    DRUID("Druid", DruidDataSource.class, "MBeans, filters, a servlet", Peer::druid),
    C3P0("c3p0", ComboPooledDataSource.class, "MBeans", Peer::c3p0),
    VIBUR("Vibur", ViburDBCPDataSource.class, "MBeans, hooks", Peer::vibur);

    private static final String USER = "postgres";
    private static final long WARM_UP_NANOS = 20_000_000_000L;

    /** More than any pool here opens: the budget never binds. */
    private static final int BUDGET = 60;

    private interface Opening {
        PeerPool open(Peer self, PeerServer server, Settings settings) throws SQLException;
    }

    private final String label;
    private final Class<?> part;
    private final String watching;
    private final Opening opening;

    Peer(String label, Class<?> part, String watching, Opening opening) {
        this.label = label;
        this.part = part;
        this.watching = watching;
        this.opening = opening;
    }

    /** As tables call it. */
    String label() {
        return label;
    }

    /** How it is watched, as its documentation has it. */
    String watching() {
        return watching;
    }

    /** From the name of its jar. */
    String version() {
        return Jar.version(part).orElse("unknown");
    }

    /** Opens it and waits until its least connections are open. */
    PeerPool open(PeerServer server, Settings settings) throws SQLException, InterruptedException {
        PeerPool pool = opening.open(this, server, settings);
        if (settings.least() > 0) {
            pool.source().getConnection().close(); // some open nothing before they are asked
            long deadline = System.nanoTime() + WARM_UP_NANOS;
            try (Connection beside = server.beside()) {
                while (PeerServer.backends(beside, pool.application()).size() < settings.least()) {
                    if (System.nanoTime() - deadline > 0) {
                        pool.close();
                        throw new IllegalStateException(label + " has not opened " + settings.least() + " connections");
                    }
                    Thread.sleep(5);
                }
            }
        }
        return pool;
    }

    private String application() {
        return "peer-" + name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    private String url(PeerServer server, Settings settings) {
        return server.url(application(), settings.socketTimeout());
    }

    private static PeerPool headgate(Peer self, PeerServer server, Settings settings) {
        Engine engine = Engine.start("bench", EngineListener.NONE);
        Target target = Target.of("peers", "127.0.0.1", server.port(), "postgres", USER, USER, BUDGET)
                .withSslMode(Target.SslMode.DISABLE)
                .withTimeouts(Settings.TEST_TIMEOUT, settings.socketTimeout());
        Pool pool = engine.open(target).open("peers", sized(1, settings, settings.least(), settings.most()));
        return new PeerPool(
                self,
                "headgate peers",
                pool.dataSource("bench"),
                (least, most) -> pool.swap(sized(2, settings, least, most)),
                engine::close);
    }

    private static PolicySet sized(long revision, Settings settings, int least, int most) {
        Limits limits = Limits.unbounded().withFloor(least).withCeiling(most).because("fixed for the measurement");
        return PolicySet.of(
                revision,
                WhenExhausted.queue(settings.patience().toMillis(), 100_000),
                new PolicySet.Member("fixed", view -> limits));
    }

    private static PeerPool hikari(Peer self, PeerServer server, Settings settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(self.url(server, settings));
        config.setUsername(USER);
        config.setPassword(USER);
        config.setMinimumIdle(settings.least());
        config.setMaximumPoolSize(settings.most());
        config.setConnectionTimeout(settings.patience().toMillis());
        config.setValidationTimeout(
                Math.min(Settings.TEST_TIMEOUT.toMillis(), settings.patience().toMillis()));
        HikariDataSource pool = new HikariDataSource(config);
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    if (least > pool.getMaximumPoolSize()) {
                        pool.setMaximumPoolSize(most);
                    }
                    pool.setMinimumIdle(least);
                    pool.setMaximumPoolSize(most);
                },
                pool::close);
    }

    private static PeerPool tomcat(Peer self, PeerServer server, Settings settings, boolean fair) {
        PoolProperties config = new PoolProperties();
        config.setDriverClassName("org.postgresql.Driver");
        config.setUrl(self.url(server, settings));
        config.setUsername(USER);
        config.setPassword(USER);
        config.setFairQueue(fair);
        config.setInitialSize(settings.least());
        config.setMinIdle(settings.least());
        config.setMaxIdle(settings.most());
        config.setMaxActive(settings.most());
        config.setMaxWait((int) settings.patience().toMillis());
        config.setTestOnBorrow(true);
        config.setValidationInterval(Settings.UNTESTED.toMillis());
        config.setValidationQueryTimeout((int) Settings.TEST_TIMEOUT.toSeconds());
        org.apache.tomcat.jdbc.pool.DataSource pool = new org.apache.tomcat.jdbc.pool.DataSource(config);
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    pool.setMaxActive(most);
                    pool.setMaxIdle(most);
                    pool.setMinIdle(least);
                },
                () -> pool.close(true));
    }

    private static PeerPool dbcp2(Peer self, PeerServer server, Settings settings) {
        BasicDataSource pool = new BasicDataSource();
        pool.setUrl(self.url(server, settings));
        pool.setUsername(USER);
        pool.setPassword(USER);
        pool.setInitialSize(settings.least());
        pool.setMinIdle(settings.least());
        pool.setMaxIdle(settings.most());
        pool.setMaxTotal(settings.most());
        pool.setMaxWait(settings.patience());
        pool.setTestOnBorrow(settings.testing());
        pool.setValidationQueryTimeout(Settings.TEST_TIMEOUT);
        pool.setAccessToUnderlyingConnectionAllowed(true);
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    pool.setMinIdle(least);
                    pool.setMaxTotal(most);
                    pool.setMaxIdle(most);
                },
                pool::close);
    }

    private static PeerPool agroal(Peer self, PeerServer server, Settings settings) throws SQLException {
        AgroalDataSourceConfigurationSupplier config = new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.initialSize(settings.least())
                        .minSize(settings.least())
                        .maxSize(settings.most())
                        .acquisitionTimeout(settings.patience())
                        .exceptionSorter(new PostgreSQLExceptionSorter()) // without one it keeps broken connections
                        .idleValidationTimeout(Settings.UNTESTED)
                        .connectionValidator(ConnectionValidator.defaultValidatorWithTimeout(
                                (int) Settings.TEST_TIMEOUT.toSeconds()))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(self.url(server, settings))
                                .principal(new NamePrincipal(USER))
                                .credential(new SimplePassword(USER))));
        AgroalDataSource pool = AgroalDataSource.from(config);
        AgroalConnectionPoolConfiguration bounds = pool.getConfiguration().connectionPoolConfiguration();
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    bounds.setMinSize(Math.min(least, bounds.maxSize()));
                    bounds.setMaxSize(most);
                    bounds.setMinSize(least);
                },
                pool::close);
    }

    private static PeerPool druid(Peer self, PeerServer server, Settings settings) {
        DruidDataSource pool = new DruidDataSource();
        pool.setUrl(
                server.url(self.application())); // it would read the seconds of a URL's socketTimeout as milliseconds
        pool.setUsername(USER);
        pool.setPassword(USER);
        pool.setInitialSize(settings.least());
        pool.setMinIdle(settings.least());
        pool.setMaxActive(settings.most());
        pool.setMaxWait(settings.patience().toMillis());
        pool.setConnectTimeout((int) Settings.TEST_TIMEOUT.toMillis());
        pool.setSocketTimeout((int) settings.socketTimeout().toMillis());
        pool.setValidationQuery("SELECT 1"); // without one it tests nothing
        pool.setValidationQueryTimeout((int) Settings.TEST_TIMEOUT.toSeconds());
        pool.setTestWhileIdle(true);
        pool.setTimeBetweenEvictionRunsMillis(Settings.UNTESTED.toMillis());
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    pool.setMinIdle(Math.min(least, pool.getMaxActive()));
                    pool.setMaxActive(most);
                    pool.setMinIdle(least);
                },
                pool::close);
    }

    private static PeerPool c3p0(Peer self, PeerServer server, Settings settings) {
        ComboPooledDataSource pool = new ComboPooledDataSource();
        pool.setJdbcUrl(self.url(server, settings));
        pool.setUser(USER);
        pool.setPassword(USER);
        pool.setInitialPoolSize(settings.least());
        pool.setMinPoolSize(settings.least());
        pool.setMaxPoolSize(settings.most());
        pool.setCheckoutTimeout((int) settings.patience().toMillis());
        pool.setTestConnectionOnCheckout(settings.testing());
        pool.setConnectionIsValidTimeout((int) Settings.TEST_TIMEOUT.toSeconds());
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    pool.setMinPoolSize(least);
                    pool.setMaxPoolSize(most);
                },
                pool::close);
    }

    private static PeerPool vibur(Peer self, PeerServer server, Settings settings) {
        ViburDBCPDataSource pool = new ViburDBCPDataSource();
        pool.setJdbcUrl(self.url(server, settings));
        pool.setUsername(USER);
        pool.setPassword(USER);
        pool.setPoolInitialSize(settings.least());
        pool.setPoolMaxSize(settings.most());
        pool.setConnectionTimeoutInMs(settings.patience().toMillis());
        pool.setConnectionIdleLimitInSeconds((int) Duration.ofSeconds(1).toSeconds());
        pool.setValidateTimeoutInSeconds((int) Settings.TEST_TIMEOUT.toSeconds());
        pool.setLoginTimeoutInSeconds((int) Settings.TEST_TIMEOUT.toSeconds());
        pool.start();
        return new PeerPool(
                self,
                self.application(),
                pool,
                (least, most) -> {
                    throw new UnsupportedOperationException("its size is fixed when it is started");
                },
                pool::terminate);
    }
}
