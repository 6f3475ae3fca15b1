package dev.headgate.server.wire;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;

/**
 * A new client.
 *
 * @param name the user that it connects as
 * @param password not stored; if it is left out, Headgate generates a strong one
 */
@Schema(name = "ClientCreate")
record ClientCreateRequest(
        @NotNull(message = "is missing") @Pattern(regexp = NAME, message = "must be a user's name")
        String name,

        @Size(min = 8, max = 200, message = "must have 8 to 200 characters")
        @Pattern(regexp = "^[^\\x00-\\x1f\\x7f]*$", message = "must hold no control characters")
        @Nullable
        String password) {

    /** Names that need no quotes in a connection string, a shell or a path. */
    static final String NAME = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$";

    @Override
    public String toString() {
        return name;
    }
}
