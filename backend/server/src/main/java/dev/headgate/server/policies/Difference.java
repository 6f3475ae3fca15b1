package dev.headgate.server.policies;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One leaf in which two values differ.
 *
 * @param from null where there was nothing
 * @param to null where there is nothing any more
 */
@Schema(name = "Change")
public record Difference(
        String pointer, @Nullable Object from, @Nullable Object to) {}
