package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.unit.DataSize;

@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

    private static final DataSize LEAST = DataSize.ofMegabytes(1);

    /** The account of all memory whose size callers decide. */
    @Bean
    MemoryAccount memoryAccount(HeadgateProperties properties) {
        @Nullable DataSize wanted = properties.limits().memory();
        long heap = Runtime.getRuntime().maxMemory();
        if (wanted != null && (wanted.compareTo(LEAST) < 0 || wanted.toBytes() > heap)) {
            throw new CannotStart(
                    "headgate.limits.memory must be from " + LEAST.toBytes() + " to " + heap
                            + " bytes, which the heap has; was " + wanted.toBytes() + ".",
                    CannotStart.EXIT_FAILED);
        }
        return new MemoryAccount(wanted == null ? MemoryAccount.quarterOfHeap() : wanted.toBytes(), Holders.PORTIONS);
    }
}
