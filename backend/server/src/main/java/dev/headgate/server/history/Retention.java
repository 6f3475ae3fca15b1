package dev.headgate.server.history;

import dev.headgate.server.HeadgateProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.springframework.stereotype.Component;

/** Deletes what is older than its resolution is kept, and what the limit on disk has no room for: the oldest of the finest first. */
@Component
class Retention {

    private final ChunkStore store;
    private final HeadgateProperties.History settings;
    private volatile long bytes;

    Retention(ChunkStore store, HeadgateProperties properties) {
        this.store = store;
        this.settings = properties.history();
    }

    /** How long a resolution is kept, if the disk has room. */
    Duration length(Resolution resolution) {
        return switch (resolution) {
            case SECONDS -> settings.seconds();
            case TENS -> settings.tens();
            case MINUTES -> settings.minutes();
            case TEN_MINUTES -> settings.tenMinutes();
        };
    }

    /** From when on each resolution is kept, in seconds since the epoch. Blocks on the store. */
    Map<Resolution, Long> since(Instant now) {
        Map<Resolution, Long> since = store.since();
        since.replaceAll((resolution, deleted) ->
                Math.max(deleted, now.minus(length(resolution)).getEpochSecond()));
        return since;
    }

    /** The bytes of all chunks on disk, about, when they were pruned last. */
    long bytes() {
        return bytes;
    }

    /** Blocks on the store. */
    void prune(Instant now) {
        for (Resolution resolution : Resolution.values()) {
            store.deleteBefore(resolution, now.minus(length(resolution)).getEpochSecond());
        }
        bytes = store.bytes();
        for (Resolution resolution : Resolution.values()) {
            long excess = bytes - settings.most().toBytes();
            if (excess > 0) {
                store.endOfOldest(resolution, excess).ifPresent(end -> store.deleteBefore(resolution, end));
                bytes = store.bytes();
            }
        }
        store.deleteEmptySeries();
    }
}
