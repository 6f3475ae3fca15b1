package dev.headgate.server.api;

import dev.headgate.engine.Database;
import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One database and the engine's knowledge of its server. Without the password.
 *
 * @param open connections to it, counted at the sockets
 * @param health the state in one word, one sentence and one severity
 * @param alarms of the database itself that stand, oldest first
 * @param serverVersion null until it was reached for the first time, like the server's other figures
 * @param serverStartedAt databases with the same one are on the same server, whatever their hosts are called
 * @param serverMaxConnections the connections that the server allows ordinary users
 * @param othersUse how many of them belonged to others when the server was last asked
 * @param domains names of the domains on it, sorted
 * @param answers of the policies of its own set
 * @param revision of the database's own policy set; 0 is the empty one
 */
@Schema(name = "LiveDatabase")
public record DatabaseJson(
        String name,
        String host,
        int port,
        String database,
        String user,

        @Schema(allowableValues = {"disable", "prefer", "require", "verify-ca", "verify-full"})
        String sslMode,

        int budget,
        int open,
        HealthJson health,
        List<AlarmJson> alarms,
        boolean reachable,
        @Nullable String unreachableReason,
        @Nullable String serverVersion,
        @Nullable Instant serverStartedAt,
        @Nullable Integer serverMaxConnections,
        @Nullable Integer othersUse,
        List<String> domains,
        List<AnswerJson> answers,
        long revision) {

    public static DatabaseJson of(Database database) {
        return of(database, DatabaseSummaryJson.of(database.status()));
    }

    /** @param live its live part, which may be older */
    public static DatabaseJson of(Database database, DatabaseSummaryJson live) {
        Target target = database.target();
        DatabaseStatus status = database.status();
        Optional<ServerFacts> facts = status.facts();
        return new DatabaseJson(
                target.name(),
                target.host(),
                target.port(),
                target.database(),
                target.user(),
                target.sslMode().label(),
                live.budget(),
                live.open(),
                live.health(),
                live.alarms(),
                live.reachable(),
                live.unreachableReason(),
                facts.map(ServerFacts::version).orElse(null),
                facts.map(ServerFacts::server)
                        .map(ServerFacts.Server::startedAt)
                        .orElse(null),
                live.serverMaxConnections(),
                live.othersUse(),
                database.pools().stream().map(Pool::domain).sorted().toList(),
                AnswerJson.all(status.answers()),
                database.policies().revision());
    }
}
