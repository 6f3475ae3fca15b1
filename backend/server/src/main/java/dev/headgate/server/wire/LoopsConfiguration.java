package dev.headgate.server.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.WireSettings;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The loops that serve the clients of the wire port, and SQL over HTTP. They run also while the port is closed. */
@Configuration(proxyBeanMethods = false)
class LoopsConfiguration {

    private static final int MOST_LOOPS = 1_000;

    @Bean
    RelayLoops relayLoops(HeadgateProperties properties, MemoryAccount memory, Supervisor supervisor) {
        try {
            HeadgateProperties.Wire wire = properties.wire();
            boolean busyPolls =
                    wire.busyPoll() == null ? !ProcessorQuota.ofThisProcess().limits() : wire.busyPoll();
            return RelayLoops.open(wanted(wire.loops()), busyPolls, new LoopLog(), memory, supervisor);
        } catch (IOException e) {
            throw new CannotStart("the system gives no selector (" + e.getMessage() + ").", e);
        }
    }

    private static int wanted(@Nullable Integer wanted) {
        if (wanted != null && (wanted < 1 || wanted > MOST_LOOPS)) {
            throw new CannotStart(
                    "headgate.wire.loops must be from 1 to " + MOST_LOOPS + ", was " + wanted + ".",
                    CannotStart.EXIT_FAILED);
        }
        return wanted == null ? WireSettings.defaultLoops() : wanted;
    }
}
