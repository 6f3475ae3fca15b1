package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.feed.Samples;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;

/** Histories for the tests of those who show them. */
public final class Histories {

    private Histories() {}

    /** Of these pools, so many seconds up to {@link Samples#NOON}, each with a request. */
    public static History of(Collection<? extends Pool> pools, int seconds, MemoryAccount account) {
        History history = new History(Clock.fixed(Samples.NOON, ZoneOffset.UTC), account, List.of(), List.of());
        for (int second = seconds; second > 0; second--) {
            for (Pool pool : pools) {
                history.window(
                        pool, Samples.NOON.minusSeconds(second).plusMillis(500), Samples.window(1_000_000L + second));
            }
        }
        return history;
    }
}
