package dev.headgate.bench.peers;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** Asks pools every {@link Clause}. */
record Contract(PeerServer server) {

    private static final long LONGEST_SECONDS = 20;

    private static final Settings SETTINGS = new Settings(1, 1, Clause.PATIENCE, Duration.ofSeconds(10), true);

    private record OnePool(PeerServer server, PeerPool pool) implements Clause.Trial {

        @Override
        public Peer peer() {
            return pool.peer();
        }

        @Override
        public DataSource source() {
            return pool.source();
        }

        @Override
        public void resize(int least, int most) throws SQLException {
            pool.resize(least, most);
        }

        @Override
        public void end() throws SQLException {
            pool.close();
        }
    }

    /** A pool's answer. A pool that does not come back within 20 s is left alone with its thread. */
    String answer(Clause clause, Peer peer) throws Exception {
        PeerPool pool = peer.open(server, SETTINGS);
        CompletableFuture<String> said = new CompletableFuture<>();
        Thread asking = Thread.ofPlatform().daemon().start(() -> said.complete(clause.ask(new OnePool(server, pool))));
        try {
            String answer = said.get(LONGEST_SECONDS, TimeUnit.SECONDS);
            asking.join();
            pool.close();
            return answer;
        } catch (TimeoutException e) {
            return "does not return";
        }
    }
}
