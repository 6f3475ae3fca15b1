package dev.headgate.server.history;

import java.util.Optional;

/**
 * How finely the past is kept. Each resolution is rolled up from the one before. A {@link Chunk} holds {@link Chunk#ROWS} of its
 * periods. With ten minutes, the answer for a month is read from 4,320 periods and not from 43,200.
 */
enum Resolution {
    SECONDS(1),
    TENS(10),
    MINUTES(60),
    TEN_MINUTES(600);

    private final int seconds;

    Resolution(int seconds) {
        this.seconds = seconds;
    }

    /** The resolution whose periods have this length. */
    static Resolution of(int seconds) {
        for (Resolution resolution : values()) {
            if (resolution.seconds == seconds) {
                return resolution;
            }
        }
        throw new IllegalArgumentException("no resolution of " + seconds + " s");
    }

    /** The length of a period. */
    int seconds() {
        return seconds;
    }

    /** The length of a chunk, in seconds. */
    int chunkSeconds() {
        return seconds * Chunk.ROWS;
    }

    /** The start of the chunk that holds an instant; both in seconds since the epoch. */
    long chunkStart(long second) {
        return Math.floorDiv(second, (long) chunkSeconds()) * chunkSeconds();
    }

    /** The start of the period that holds an instant; both in seconds since the epoch. */
    long periodStart(long second) {
        return Math.floorDiv(second, (long) seconds) * seconds;
    }

    /** What this one is rolled up into. */
    Optional<Resolution> coarser() {
        return switch (this) {
            case SECONDS -> Optional.of(TENS);
            case TENS -> Optional.of(MINUTES);
            case MINUTES -> Optional.of(TEN_MINUTES);
            case TEN_MINUTES -> Optional.empty();
        };
    }
}
