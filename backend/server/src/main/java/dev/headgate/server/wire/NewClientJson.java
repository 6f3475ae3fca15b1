package dev.headgate.server.wire;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * A new client, and everything it needs to connect.
 *
 * @param password shown only here
 * @param database the name to connect to: its domain
 * @param psql a command line that connects; psql asks for the password
 */
@Schema(name = "NewWireClient")
record NewClientJson(
        String name,
        Instant createdAt,
        String createdBy,
        String password,
        String host,
        int port,
        String database,
        String psql) {

    @Override
    public String toString() {
        return database + "/" + name;
    }
}
