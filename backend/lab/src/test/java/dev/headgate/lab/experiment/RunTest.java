package dev.headgate.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.spi.Policy;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunTest {

    private static final Report REPORT = new Report(List.of(), List.of(), List.of(), List.of(), List.of());

    private final Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});

    /** One that nothing is asked of. */
    private final Laboratory laboratory = new Laboratory() {
        @Override
        public Target database(String name, int budget) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Policy policy(String plugin, Map<String, Object> parameters) {
            throw new UnsupportedOperationException();
        }
    };

    private final Run run = new Run(laboratory, Map.of(), 1, supervisor, (share, doing) -> {});

    /** Measures something while a thread of its own does something else. */
    private record Beside(Supervisor.Turn thread, boolean reports) implements Experiment {

        @Override
        public String name() {
            return "beside";
        }

        @Override
        public String question() {
            return "";
        }

        @Override
        public String source() {
            return "";
        }

        @Override
        public List<Parameter> parameters() {
            return List.of();
        }

        @Override
        public Report run(Run run) throws Exception {
            run.supervisor().start("of-the-run", Thread.ofVirtual(), thread).join();
            if (reports) {
                run.at(0.5, "the rest");
                throw new AssertionError("a run goes on although its thread has failed");
            }
            return REPORT;
        }
    }

    @Test
    void aRunWhoseThreadsDidNotFailHasAReport() throws Exception {
        assertThat(run.measure(new Beside(() -> {}, false))).isSameAs(REPORT);
    }

    @Test
    void aRunOfWhichAThreadFailedHasNone() {
        Supervisor.Turn fails = () -> {
            throw new NoClassDefFoundError("Gone");
        };
        assertThatThrownBy(() -> run.measure(new Beside(fails, false)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the thread of-the-run of the run failed: java.lang.NoClassDefFoundError: Gone")
                .hasCauseInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void aRunOfWhichAThreadFailedEndsAtItsNextReportOfProgress() {
        Supervisor.Turn fails = () -> {
            throw new IllegalStateException("broken");
        };
        assertThatThrownBy(() -> run.measure(new Beside(fails, true)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("of-the-run");
    }
}
