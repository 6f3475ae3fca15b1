package dev.headgate.server.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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

    /** Else it would hold its place and its memory for as long as another is applied. */
    @Test
    void anApplyThatWaitsForAnotherEndsWhereItIsCancelled(@TempDir Path data) throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 10)).expect(201);
            Files files = service.bean(Files.class);
            List<SourceFile> wanted = List.of(new SourceFile("team.yaml", """
                    apiVersion: headgate/v1
                    domains:
                      - {name: one, database: main}
                    """));
            CountDownLatch inside = new CountDownLatch(1);
            CountDownLatch end = new CountDownLatch(1);
            Thread first = Thread.ofPlatform()
                    .start(() -> files.apply(wanted, TERMS, null, share -> {
                        inside.countDown();
                        await(end);
                    }));
            await(inside);
            CompletableFuture<Throwable> ended = new CompletableFuture<>();
            Thread second = Thread.ofPlatform().start(() -> {
                try {
                    ended.complete(new AssertionError(
                            files.apply(wanted, TERMS, null, share -> {}).toString()));
                } catch (CancellationException e) {
                    ended.complete(e);
                }
            });
            second.interrupt();
            assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
            end.countDown();
            first.join();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void databasesThatDoNotAnswerAreTriedForSomeSecondsInAll(@TempDir Path data) throws IOException {
        StringBuilder text = new StringBuilder("apiVersion: headgate/v1\ndatabases:\n");
        try (Service service = Service.start(data);
                ServerSocket silent = new ServerSocket(0)) {
            for (int i = 0; i < 5; i++) {
                text.append(
                        "  - {name: db-%d, host: 127.0.0.1, port: %d, database: d, user: u, sslMode: disable, budget: 5}\n"
                                .formatted(i, silent.getLocalPort()));
            }
            Files files = service.bean(Files.class);
            assertThatThrownBy(
                            () -> files.diff(List.of(new SourceFile("team.yaml", text.toString())), TERMS, share -> {}))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            refused -> assertThat(refused.faults())
                                    .extracting(Fault::message)
                                    .satisfies(messages -> {
                                        assertThat(messages).hasSize(5);
                                        assertThat(messages.subList(0, 2))
                                                .allMatch(each -> each.startsWith("cannot be used"));
                                        assertThat(messages.subList(2, 5))
                                                .allMatch(each -> each.startsWith("was not tried"));
                                    }));
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
