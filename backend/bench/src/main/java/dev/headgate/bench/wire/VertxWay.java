package dev.headgate.bench.wire;

import dev.headgate.lab.queries.Way;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.SslMode;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * By Vert.x's client, pipelined: all queries may be in flight, statements are cached, and the queries are sent on the event loop
 * that the connections belong to.
 */
final class VertxWay implements Way {

    private static final int IN_FLIGHT = 256;

    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();
    private final SqlClient client;

    /** @param width with one, a connection; with more, a pool whose connections are pipelined */
    VertxWay(int port, String password, int width) throws Exception {
        PgConnectOptions options = new PgConnectOptions()
                .setHost("127.0.0.1")
                .setPort(port)
                .setDatabase(PostgresServer.DATABASE)
                .setUser(PostgresServer.USER)
                .setPassword(password)
                .setSslMode(SslMode.DISABLE)
                .setCachePreparedStatements(true)
                .setPipeliningLimit(IN_FLIGHT);
        client = onLoop(() -> width == 1
                ? PgConnection.connect(vertx, options)
                : Future.succeededFuture(PgBuilder.client()
                        .with(new PoolOptions().setMaxSize(width).setEventLoopSize(1))
                        .connectingTo(options)
                        .using(vertx)
                        .build()));
    }

    private interface Work<T> {
        Future<? extends T> begin();
    }

    private <T> T onLoop(Work<T> work) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        context.runOnContext(_ -> work.begin().onComplete(answer -> {
            if (answer.succeeded()) {
                done.complete(answer.result());
            } else {
                done.completeExceptionally(answer.cause());
            }
        }));
        return done.get(1, TimeUnit.MINUTES);
    }

    @Override
    public long run(int[] keys) throws Exception {
        List<Future<RowSet<Row>>> answers = new ArrayList<>();
        return onLoop(() -> {
            for (int key : keys) {
                answers.add(client.preparedQuery(QUERY).execute(Tuple.of(key)));
            }
            return Future.all(answers).map(_ -> sum(answers));
        });
    }

    private static long sum(List<Future<RowSet<Row>>> answers) {
        long sum = 0;
        for (Future<RowSet<Row>> answer : answers) {
            for (Row row : answer.result()) {
                sum += row.getInteger(0);
            }
        }
        return sum;
    }

    @Override
    public void close() {
        client.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
    }
}
