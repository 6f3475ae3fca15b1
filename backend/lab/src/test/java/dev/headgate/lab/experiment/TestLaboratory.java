package dev.headgate.lab.experiment;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.report.MarkdownReport;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.ServiceLoader;

/** A laboratory on an embedded PostgreSQL, with the policies of this checkout. {@link #main} runs one experiment by hand. */
public final class TestLaboratory implements Laboratory, AutoCloseable {

    private static final long SEED = 1;

    private final EmbeddedPostgres server;

    public TestLaboratory() throws IOException {
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(1))
                .setServerConfig("max_connections", Integer.toString(MAX_CONNECTIONS))
                .setServerConfig("max_prepared_transactions", Integer.toString(MAX_CONNECTIONS))
                .start();
    }

    @Override
    public Target database(String name, int budget) throws SQLException {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            rollBackPrepared(connection, name);
            statement.execute("DROP DATABASE IF EXISTS \"" + name + "\" WITH (FORCE)");
            statement.execute("CREATE DATABASE \"" + name + "\"");
        }
        return Target.of(name, "127.0.0.1", server.getPort(), name, "postgres", "postgres", budget)
                .withSslMode(Target.SslMode.DISABLE);
    }

    /** A database with prepared transactions cannot be dropped, and only a session in it can end them. */
    private void rollBackPrepared(Connection connection, String name) throws SQLException {
        List<String> left = new ArrayList<>();
        try (PreparedStatement select =
                connection.prepareStatement("SELECT gid FROM pg_prepared_xacts WHERE database = ?")) {
            select.setString(1, name);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    left.add(rows.getString(1));
                }
            }
        }
        if (!left.isEmpty()) {
            try (Connection within = server.getDatabase("postgres", name).getConnection();
                    Statement statement = within.createStatement()) {
                for (String each : left) {
                    statement.execute("ROLLBACK PREPARED '" + each.replace("'", "''") + "'");
                }
            }
        }
    }

    @Override
    public Policy policy(String plugin, Map<String, Object> parameters) {
        return ServiceLoader.load(PolicyFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.id().equals(plugin))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no plugin " + plugin))
                .create(Parameters.of(parameters));
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    /** Runs an experiment with the values of a form, some of them replaced. */
    public Report run(Experiment experiment, Form form, Map<String, Double> replaced) throws Exception {
        return run(experiment, form, replaced, (share, doing) -> {});
    }

    public Report run(Experiment experiment, Form form, Map<String, Double> replaced, Run.Progress progress)
            throws Exception {
        Map<String, Double> values = new HashMap<>();
        experiment.parameters().forEach(each -> values.put(each.name(), form.value(each)));
        values.putAll(replaced);
        Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});
        return new Run(this, values, SEED, supervisor, progress).measure(experiment);
    }

    private static SequencedMap<String, String> setUp(Form form, Map<String, Double> replaced) {
        SequencedMap<String, String> setUp = new LinkedHashMap<>();
        setUp.put("form", form.name().toLowerCase(Locale.ROOT));
        setUp.put("values", replaced.toString());
        setUp.put("seed", Long.toString(SEED));
        setUp.put("machine", Machine.describe());
        return setUp;
    }

    /** {@code NAME [quick|full] [parameter=value]...}: prints the report in Markdown. */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws Exception {
        Experiment experiment = Experiments.named(arguments[0]).orElseThrow();
        Form form = arguments.length > 1 && arguments[1].equals("full") ? Form.FULL : Form.QUICK;
        Map<String, Double> replaced = new HashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            if (equals > 0) {
                replaced.put(argument.substring(0, equals), Double.valueOf(argument.substring(equals + 1)));
            }
        }
        long begin = System.nanoTime();
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report report = laboratory.run(
                    experiment,
                    form,
                    replaced,
                    (share, doing) -> System.err.printf("%3.0f %%  %s%n", 100 * share, doing));
            System.out.println(MarkdownReport.of(experiment, report, setUp(form, replaced)));
        }
        System.err.printf("%.1f s%n", (System.nanoTime() - begin) / 1e9);
    }
}
