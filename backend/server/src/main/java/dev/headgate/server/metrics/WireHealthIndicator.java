package dev.headgate.server.metrics;

import dev.headgate.server.wire.WireClients;
import dev.headgate.wire.LoopStatus;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Whether every loop of the wire port turns. Part of readiness, so that no new clients are sent to a port that does not answer.
 * Not part of liveness.
 */
@Component
class WireHealthIndicator implements HealthIndicator {

    private final Supplier<List<LoopStatus>> loops;

    @Autowired
    WireHealthIndicator(WireClients wire) {
        this(wire::loops);
    }

    WireHealthIndicator(Supplier<List<LoopStatus>> loops) {
        this.loops = loops;
    }

    @Override
    public Health health() {
        List<LoopStatus> all = loops.get();
        Health.Builder health = all.stream().anyMatch(LoopStatus::isStalled) ? Health.down() : Health.up();
        all.forEach(loop -> health.withDetail(
                loop.name(),
                loop.isStalled() ? "has not turned for " + loop.stalled().toSeconds() + " s" : "turns"));
        return health.build();
    }
}
