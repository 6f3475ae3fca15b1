package dev.headgate.server.history;

import dev.headgate.server.HeadgateProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.springframework.stereotype.Component;

/**
 * Deletes what is older than its resolution is kept, and what the limit on disk has no room for: the oldest of the finest first, and
 * that of connections before that of domains.
 */
@Component
class Retention {

    /** How long the connections' seconds, and their periods of ten seconds, are kept at most: their minutes say enough then. */
    private static final Duration CONNECTION_SECONDS = Duration.ofHours(1);

    private static final Duration CONNECTION_TENS = Duration.ofHours(6);

    private static final List<Resolution> OF_CONNECTIONS =
            List.of(Resolution.SECONDS, Resolution.TENS, Resolution.MINUTES);

    private final ChunkStore store;
    private final ConnectionChunkStore connections;
    private final HeadgateProperties.History settings;
    private volatile long bytes;

    Retention(ChunkStore store, ConnectionChunkStore connections, HeadgateProperties properties) {
        this.store = store;
        this.connections = connections;
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

    /** How long a resolution of the connections is kept, if the disk has room. */
    Duration ofConnections(Resolution resolution) {
        Duration most = switch (resolution) {
            case SECONDS -> CONNECTION_SECONDS;
            case TENS -> CONNECTION_TENS;
            case MINUTES, TEN_MINUTES -> settings.connections();
        };
        return most.compareTo(settings.connections()) < 0 ? most : settings.connections();
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
        for (Resolution resolution : OF_CONNECTIONS) {
            deleteOfConnections(resolution, now.minus(ofConnections(resolution)).getEpochSecond());
        }
        for (Resolution resolution : Resolution.values()) {
            store.deleteBefore(resolution, now.minus(length(resolution)).getEpochSecond());
        }
        bytes = store.bytes() + connections.bytes();
        for (Resolution resolution : OF_CONNECTIONS) {
            long excess = bytes - settings.most().toBytes();
            if (excess > 0) {
                connections.endOfOldest(resolution, excess).ifPresent(end -> {
                    long coarsest = replacing(resolution).chunkSeconds();
                    deleteOfConnections(resolution, Math.min(end + coarsest - 1, now.getEpochSecond()));
                });
                bytes = store.bytes() + connections.bytes();
            }
        }
        for (Resolution resolution : Resolution.values()) {
            long excess = bytes - settings.most().toBytes();
            if (excess > 0) {
                store.endOfOldest(resolution, excess).ifPresent(end -> store.deleteBefore(resolution, end));
                bytes = store.bytes() + connections.bytes();
            }
        }
        store.deleteEmptySeries();
    }

    /** Only whole chunks of the coarser resolution, so that a reader finds every instant in one of the two. */
    private void deleteOfConnections(Resolution resolution, long end) {
        connections.deleteBefore(resolution, replacing(resolution).chunkStart(end));
    }

    /** The resolution that is read where a finer one is deleted. */
    private static Resolution replacing(Resolution resolution) {
        return resolution == Resolution.SECONDS ? Resolution.TENS : Resolution.MINUTES;
    }
}
