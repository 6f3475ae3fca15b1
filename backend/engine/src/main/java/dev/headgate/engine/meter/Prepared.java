package dev.headgate.engine.meter;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statements that are kept prepared on a connection for the clients that share it.
 *
 * @param bytes of their texts, about
 * @param hits how often a client's statement was prepared already
 * @param misses how often one had to be prepared
 * @param statements in no order
 */
public record Prepared(int count, long bytes, long hits, long misses, List<Named> statements) {

    /**
     * One statement.
     *
     * @param name on the server
     * @param text its beginning, with its literals; null if it is too long to be kept
     * @param bytes of its text, about
     */
    public record Named(String name, @Nullable String text, int bytes) {}
}
