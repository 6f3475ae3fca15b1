package dev.headgate.server.files;

import java.util.function.LongConsumer;

/**
 * Bounds what the files of one call become: the nodes that are parsed, before their document is complete, and the values that they
 * stand for. A few bytes of YAML can stand for gigabytes: an alias repeats a value. Not safe for several threads.
 */
final class Expansion {

    static final int MOST_VALUES = 100_000;
    static final int MOST_CHARACTERS = 8 << 20;
    static final String ALLOWED =
            "at most " + MOST_VALUES + " values, with " + (MOST_CHARACTERS >> 20) + " MB of characters";

    /** An estimate of a value's bytes beside its characters. */
    private static final int VALUE_BYTES = 100;

    /** An estimate of the bytes of a parsed key or value, with the two places in the file that it knows. */
    static final int NODE_BYTES = 250;

    /** Each value may have a key. */
    private static final int MOST_NODES = 2 * MOST_VALUES;

    private static final int STEP = 64 << 10;

    private final LongConsumer memory;
    private int nodes;
    private int values;
    private int characters;
    private long reserved;

    /** @param memory called with the number of bytes before they are used; an exception ends the reading */
    Expansion(LongConsumer memory) {
        this.memory = memory;
    }

    /** Counts one more parsed key or value. Returns false once there are too many. */
    boolean parses() {
        nodes++;
        reserve();
        return nodes <= MOST_NODES;
    }

    /**
     * Counts one more value.
     *
     * @param length characters of the value, at most some megabytes
     * @return false once there are too many
     */
    boolean holds(int length) {
        values++;
        characters = Math.min(characters + length, MOST_CHARACTERS + 1);
        reserve();
        return values <= MOST_VALUES && characters <= MOST_CHARACTERS;
    }

    private void reserve() {
        long bytes = (long) nodes * NODE_BYTES + (long) values * VALUE_BYTES + characters;
        if (bytes > reserved) {
            long step = Math.max(STEP, bytes - reserved);
            memory.accept(step);
            reserved += step;
        }
    }
}
