package dev.headgate.server.leases;

import dev.headgate.engine.Occupancy.WaiterStatus;
import dev.headgate.server.api.Millis;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for a lease.
 *
 * @param position from 1, the next to be served
 * @param leftMs until it fails; null if it waits as long as it takes
 */
@Schema(name = "Waiter")
public record WaiterJson(
        String id,
        int position,
        CallerJson caller,
        double waitedMs,
        @Nullable Double leftMs) {

    private static final long FOREVER = TimeUnit.DAYS.toNanos(365);

    static WaiterJson of(WaiterStatus waiter) {
        return new WaiterJson(
                waiter.id().toString(),
                waiter.position(),
                CallerJson.of(waiter.who(), waiter.thread()),
                Millis.of(waiter.waitedNanos()),
                waiter.leftNanos() > FOREVER ? null : (Double) Math.max(0, Millis.of(waiter.leftNanos())));
    }
}
