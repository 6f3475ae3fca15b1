package dev.headgate.lab.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.TestLaboratory;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** On a real server, as short as it can be. Each way's answers are checked by the experiment itself; nothing is said of speeds. */
class QueriesTest {

    @Test
    void everyWayIsMeasured() throws Exception {
        try (TestLaboratory laboratory = new TestLaboratory()) {
            Report drivers = laboratory.run(
                    new AsyncDrivers(), Form.QUICK, Map.of("queries", 5.0, "samples", 3.0, "roundTripMs", 0.0));
            assertThat(drivers.measures())
                    .hasSize(3)
                    .allMatch(measure -> measure.samples().size() == 3);

            Report fork = laboratory.run(new ForkJoin(), Form.QUICK, Map.of("samples", 3.0, "roundTripMs", 0.5));
            assertThat(fork.charts().getFirst().lines())
                    .hasSize(3)
                    .allMatch(line -> line.x().equals(java.util.List.of(1.0, 2.0, 4.0, 8.0)));
        }
    }
}
