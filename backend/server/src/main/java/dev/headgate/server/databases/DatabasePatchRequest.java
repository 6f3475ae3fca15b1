package dev.headgate.server.databases;

import static dev.headgate.server.databases.DatabaseCreateRequest.HOST;
import static dev.headgate.server.databases.DatabaseCreateRequest.IDENTIFIER;
import static dev.headgate.server.databases.DatabaseCreateRequest.MOST;
import static dev.headgate.server.databases.DatabaseCreateRequest.SSL_MODE;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/** A change of a database. Omitted fields keep their values. */
@Schema(name = "DatabasePatch")
public record DatabasePatchRequest(
        @Pattern(regexp = HOST, message = "must be a host name or an address") @Nullable
        String host,

        @Range(min = 1, max = 65535, message = "must be a port") @Nullable
        Integer port,

        @Pattern(regexp = IDENTIFIER, message = "must be a database's name") @Nullable
        String database,

        @Pattern(regexp = IDENTIFIER, message = "must be a user's name") @Nullable
        String user,

        @Size(max = 1000, message = "is too long") @Nullable String password,

        @Schema(allowableValues = {"disable", "prefer", "require", "verify-ca", "verify-full"})
        @Pattern(regexp = SSL_MODE, message = "must be an SSL mode")
        @Nullable
        String sslMode,

        @Range(min = 1, max = MOST, message = "must be a number of connections") @Nullable
        Integer budget) {

    @Override
    public String toString() {
        return "change of " + host + ":" + port + "/" + database;
    }
}
