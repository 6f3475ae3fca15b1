package dev.headgate.bench.wire;

import dev.headgate.lab.queries.Way;
import io.r2dbc.postgresql.PostgresqlConnectionConfiguration;
import io.r2dbc.postgresql.PostgresqlConnectionFactory;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.postgresql.client.SSLMode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * By the R2DBC driver, with all queries subscribed to at once. Statements are cached, as the driver does by default. Several
 * connections take turns query by query. The driver accepts many queries for a connection; in its 1.1.3, 50 of them take 50 round trips.
 */
final class R2dbcWay implements Way {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<PostgresqlConnection> connections;

    R2dbcWay(int port, String password, int width) {
        PostgresqlConnectionFactory factory =
                new PostgresqlConnectionFactory(PostgresqlConnectionConfiguration.builder()
                        .host("127.0.0.1")
                        .port(port)
                        .database(PostgresServer.DATABASE)
                        .username(PostgresServer.USER)
                        .password(password)
                        .sslMode(SSLMode.DISABLE)
                        .build());
        connections = now(Flux.range(0, width).concatMap(_ -> factory.create()).collectList());
    }

    @Override
    public long run(int[] keys) {
        return now(Flux.fromStream(IntStream.range(0, keys.length).boxed())
                .flatMap(i -> query(connections.get(i % connections.size()), keys[i]), keys.length)
                .reduce(0L, Long::sum));
    }

    /** The sum of the first column. */
    private static Flux<Long> query(PostgresqlConnection connection, int key) {
        return connection
                .createStatement(QUERY)
                .bind("$1", key)
                .execute()
                .flatMap(result -> result.map((row, _) -> Long.valueOf(row.get(0, Integer.class))));
    }

    private static <T> T now(Mono<T> mono) {
        return Objects.requireNonNull(mono.block(PATIENCE));
    }

    @Override
    public void close() {
        Mono<Void> closed = Flux.fromIterable(connections)
                .flatMap(PostgresqlConnection::close)
                .then();
        var _ = closed.block(PATIENCE);
    }
}
