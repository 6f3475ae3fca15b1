package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import dev.headgate.server.limits.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressTest {

    private static final Terms TERMS = new Terms("team", null, false, Origin.API);

    @Test
    void filesTellTheirProgressAndEndWhereTheyAreCancelled(@TempDir Path data) throws IOException {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 10)).expect(201);
            Files files = service.bean(Files.class);
            Export export = service.bean(Export.class);
            List<SourceFile> wanted = List.of(new SourceFile("team.yaml", """
                    apiVersion: headgate/v1
                    domains:
                      - {name: one, database: main}
                      - {name: two, database: main}
                    """));

            assertThat(told(progress -> files.diff(wanted, TERMS, progress))).containsExactly(0.5, 1.0);
            assertThatThrownBy(() -> files.diff(wanted, TERMS, ProgressTest::cancelled))
                    .isInstanceOf(CancellationException.class);
            assertThat(told(progress -> files.apply(wanted, TERMS, null, progress)))
                    .containsExactly(0.25, 0.5, 0.75, 1.0);
            assertThat(told(export::everything)).hasSize(3).isSorted().endsWith(1.0);
            assertThatThrownBy(() -> export.everything(ProgressTest::cancelled))
                    .isInstanceOf(CancellationException.class);
        }
    }

    private static void cancelled(double share) {
        throw new CancellationException();
    }

    private interface Work {
        Object tell(Progress progress);
    }

    private static List<Double> told(Work work) {
        List<Double> shares = new ArrayList<>();
        assertThat(work.tell(shares::add)).isNotNull();
        return shares;
    }
}
