package dev.headgate.lab.pools;

import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Jar;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.tomcat.jdbc.pool.PoolProperties;

/** How fast and how fairly pools hand out connections to threads that do nothing else than fetch and close them. */
public final class Pools implements Experiment {

    private static final Duration WARM_UP = Duration.ofMillis(300);

    @Override
    public String name() {
        return "pools";
    }

    @Override
    public String question() {
        return "How many connections do threads fetch from Headgate, HikariCP and Tomcat's pool, how evenly, and how long does the unluckiest wait?";
    }

    @Override
    public String source() {
        return "F. Hanik, The Tomcat JDBC connection pool: threads in a loop of getConnection().close()";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count(
                        "connections",
                        "Connections of each pool. As many threads fetch them at first, then twice as many.",
                        "",
                        10,
                        10,
                        1,
                        40),
                Parameter.count("rounds", "How often each pool is measured.", "", 7, 9, 1, 100),
                Parameter.count("roundMs", "How long each measurement takes.", "ms", 350, 3_000, 20, 60_000));
    }

    @Override
    public Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>(Experiment.super.versions());
        Jar.version(PoolProperties.class).ifPresent(version -> versions.put("Tomcat jdbc-pool", version));
        return versions;
    }

    @Override
    public Report run(Run run) throws Exception {
        int connections = run.count("connections");
        int rounds = run.count("rounds");
        Duration length = Duration.ofMillis(run.count("roundMs"));
        run.at(0, "opening the pools");
        try (Contender.Field field = new Contender.Field(
                run.laboratory().database("lab-pools", connections), connections, run.supervisor())) {
            List<Contender> plain = field.plain();
            List<Scenario> scenarios = List.of(
                    Scenario.of(threadsOn(connections, connections), connections, plain),
                    Scenario.of(threadsOn(2 * connections, connections), 2 * connections, plain),
                    Scenario.of(
                            threadsOn(2 * connections, connections) + ", validated",
                            2 * connections,
                            field.validating(plain)));
            int most = scenarios.stream().mapToInt(each -> each.cells().size()).sum() * (rounds + 1);
            int done = 0;
            for (int round = 0; round <= rounds; round++) {
                for (Scenario scenario : scenarios) {
                    List<Scenario.Cell> order = new ArrayList<>(scenario.cells());
                    Collections.rotate(order, round); // nobody always runs first, or after the same neighbour
                    for (Scenario.Cell cell : order) {
                        run.at((double) done++ / most, doing(round, rounds, scenario, cell));
                        FetchLoop loop =
                                new FetchLoop(scenario.threads(), Duration.ZERO, round == 0 ? WARM_UP : length);
                        FetchLoop.Outcome outcome = loop.run(cell.contender().fetch());
                        if (round > 0) {
                            cell.outcomes().add(outcome);
                        }
                    }
                }
            }
            return new PoolsReport(scenarios, connections).report();
        }
    }

    private static String threadsOn(int threads, int connections) {
        return threads + " threads on " + connections + " connections";
    }

    private static String doing(int round, int rounds, Scenario scenario, Scenario.Cell cell) {
        String when = round == 0 ? "warming up" : "round " + round + " of " + rounds;
        return scenario.name() + ", " + cell.contender().name() + ", " + when;
    }
}
