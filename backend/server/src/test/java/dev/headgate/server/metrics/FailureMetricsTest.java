package dev.headgate.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.Samples;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class FailureMetricsTest {

    private final Supervisor supervisor = Supervisor.silent();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final FailureMetrics metrics = new FailureMetrics(supervisor);

    @Test
    void everyThreadHasACounterOfItsFailures() {
        metrics.bindTo(registry);
        assertThat(supervisor.run("headgate-feed", () -> {})).isTrue();
        metrics.turn(20, Samples.NOON);
        assertThat(failures()).isZero();

        supervisor.failed("headgate-feed", new AssertionError("broken"));
        metrics.turn(21, Samples.NOON);
        assertThat(failures()).isZero();
        metrics.turn(40, Samples.NOON);
        assertThat(failures()).isEqualTo(1);
    }

    /** A database's threads have its name, and each database that was ever there left its meters. */
    @Test
    void aCounterGoesWithItsThread() {
        metrics.bindTo(registry);
        supervisor.run("headgate-feed", () -> {});
        supervisor.run("headgate-main-watch", () -> {});
        supervisor.failed("headgate-main-watch", new AssertionError("broken"));
        metrics.turn(20, Samples.NOON);
        supervisor.forget("headgate-main-watch");
        metrics.turn(40, Samples.NOON);
        assertThat(registry.getMeters()).hasSize(1);
        assertThat(failures()).isZero();
    }

    private double failures() {
        return registry.get("headgate.thread.failures")
                .tag("thread", "headgate-feed")
                .functionCounter()
                .count();
    }
}
