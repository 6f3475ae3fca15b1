package dev.headgate.server.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.server.Service;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Swaps through the REST API under load, every tenth an upgrade: the new version is uploaded, adopted, and the old one removed.
 * {@code -Dheadgate.swaps=1000} makes it the measurement of docs/benchmarks.md.
 */
@Timeout(900)
class PluginSwapsTest {

    private static final int SWAPS = Integer.getInteger("headgate.swaps", 60);
    private static final int SWAPS_PER_VERSION = 10;
    private static final int CALLERS = 8;
    private static final String JAR = "application/java-archive";

    @TempDir
    Path data;

    @TempDir
    Path work;

    @Test
    void nothingFailsIsLostOrLeaks() throws Exception {
        try (Service service = Service.start(data)) {
            service.post("/databases", service.databaseBody("main", 40)).expect(201);
            service.upload("/policy-plugins", jar(0), JAR).expect(201);
            service.domain("bank", set(4));
            Pool pool = service.bean(Engine.class).pool("bank").orElseThrow();
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            loaders.add(loader(service, 0));
            AtomicBoolean running = new AtomicBoolean(true);
            AtomicLong answered = new AtomicLong();
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Long>> callers = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    callers.add(threads.submit(() -> {
                        long asked = 0;
                        while (running.get()) {
                            asked++;
                            try (Lease lease = pool.acquire(LeaseRequest.by("test"));
                                    Statement statement = lease.connection().createStatement();
                                    ResultSet row = statement.executeQuery("select 1")) {
                                row.next();
                                answered.incrementAndGet();
                            }
                        }
                        return asked;
                    }));
                }
                long revision = 1;
                for (int i = 1; i <= SWAPS; i++) {
                    if (i % SWAPS_PER_VERSION == 0) {
                        int version = i / SWAPS_PER_VERSION;
                        service.upload("/policy-plugins", jar(version), JAR).expect(201);
                        loaders.add(loader(service, version));
                        service.post("/policy-plugins/upgraded/" + version + "/adopt", null)
                                .expect(200);
                        service.delete("/policy-plugins/upgraded/" + (version - 1))
                                .expect(204);
                    } else {
                        service.put(
                                        "/domains/bank/policies",
                                        "{\"policies\": " + set(1 + i % 10) + "}",
                                        "If-Match",
                                        "\"" + revision + "\"")
                                .expect(200);
                    }
                    revision++;
                }
                running.set(false);
                long asked = 0;
                for (Future<Long> caller : callers) {
                    asked += caller.get(); // throws if a request failed
                }
                assertThat(answered.get()).as("lost").isEqualTo(asked).isPositive();
                assertThat(pool.policies().revision()).isEqualTo(revision);
            }
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while ((alive(loaders) > 1 || pool.status().inUse() > 0) && System.nanoTime() - deadline < 0) {
                System.gc();
                Thread.onSpinWait();
            }
            assertThat(pool.status().inUse()).as("leaked").isZero();
            assertThat(alive(loaders))
                    .as("class loaders of %d versions", loaders.size())
                    .isEqualTo(1);
            System.out.printf(
                    "%d swaps, %d versions, %d requests: 0 failed, 0 lost, 1 class loader of 1 in use%n",
                    SWAPS, loaders.size(), answered.get());
        }
    }

    private static long alive(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(loader -> loader.get() != null).count();
    }

    private static WeakReference<ClassLoader> loader(Service service, int version) {
        return new WeakReference<>(service.bean(PluginCatalog.class)
                .find("upgraded", Integer.toString(version))
                .orElseThrow()
                .factory()
                .getClass()
                .getClassLoader());
    }

    private byte[] jar(int version) throws java.io.IOException {
        return new PluginJars(work)
                .plugin("upgraded", Integer.toString(version))
                .answering("return Limits.unbounded().withCeiling(12);")
                .bytes();
    }

    private static String set(int max) {
        return "[{\"plugin\": \"upgraded\"}, {\"plugin\": \"fixed\", \"parameters\": {\"min\": 0, \"max\": %d}}]"
                .formatted(max);
    }
}
