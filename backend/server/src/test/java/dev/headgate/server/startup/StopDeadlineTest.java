package dev.headgate.server.startup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.SmartLifecycle;

/** A process of its own that is told to stop. */
class StopDeadlineTest {

    @TempDir
    Path data;

    /** Stands still for ever when it is stopped. */
    static final class Stuck implements SmartLifecycle {
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            standStill();
        }

        private static void standStill() {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    @Test
    void aServiceEndsWithinTenSecondsWhateverStandsStill() throws Exception {
        Path said = data.resolve("said");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "dev.headgate.server.Headgate",
                        "--spring.main.sources=" + Stuck.class.getName(),
                        "--headgate.port=0",
                        "--headgate.wire.port=0",
                        "--headgate.demo=false",
                        "--headgate.data=" + data))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            await().atMost(Duration.ofMinutes(3)) // a first start, with initdb, and maybe on a loaded machine
                    .until(() -> Files.readString(said).contains("Headgate is ready") || !process.isAlive());
            long postmaster = Long.parseLong(Files.readAllLines(data.resolve("postgres/cluster/postmaster.pid"))
                    .getFirst());
            process.destroy();
            assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(143);
            assertThat(Files.readString(said))
                    .contains("Headgate has not stopped within 8 s")
                    .contains("StopDeadlineTest$Stuck.standStill");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> ProcessHandle.of(postmaster)
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        } finally {
            process.destroyForcibly();
        }
    }
}
