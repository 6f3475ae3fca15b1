package dev.headgate.server.policies;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A leaf that differs between two values.
 *
 * @param from null if it was added
 * @param to null if it was removed
 */
@Schema(name = "Change")
public record Difference(
        String pointer, @Nullable Object from, @Nullable Object to) {}
