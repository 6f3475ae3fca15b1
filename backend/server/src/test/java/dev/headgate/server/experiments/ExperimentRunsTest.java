package dev.headgate.server.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.lab.experiment.Report;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class ExperimentRunsTest {

    private static final Report REPORT = new Report(List.of(), List.of(), List.of(), List.of(), List.of("A note."));

    /** A laboratory whose files cannot be deleted. */
    private final Closeable laboratory = () -> {
        throw new IOException("files are left");
    };

    @Test
    void aReportOutlivesALaboratoryThatCannotBeClosed() throws Exception {
        assertThat(ExperimentRuns.report(laboratory, open -> REPORT).notes())
                .containsExactly("A note.", "The run's PostgreSQL server could not be closed: files are left");
    }

    @Test
    void whatEndedARunIsToldBeforeWhatFailedToClose() {
        assertThatThrownBy(() -> ExperimentRuns.report(laboratory, open -> {
                    throw new CancellationException("enough");
                }))
                .isInstanceOf(CancellationException.class)
                .hasSuppressedException(new IOException("files are left"));
    }
}
