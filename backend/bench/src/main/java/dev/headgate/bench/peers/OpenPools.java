package dev.headgate.bench.peers;

import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import javax.sql.DataSource;

/** A pool of every peer, all open at once. */
final class OpenPools implements AutoCloseable {

    private final Map<Peer, PeerPool> pools = new EnumMap<>(Peer.class);

    OpenPools(PeerServer server, Settings settings) throws SQLException, InterruptedException {
        for (Peer peer : Peer.values()) {
            pools.put(peer, peer.open(server, settings));
        }
    }

    DataSource source(Peer peer) {
        PeerPool pool = pools.get(peer);
        if (pool == null) {
            throw new IllegalArgumentException(peer + " is not open");
        }
        return pool.source();
    }

    @Override
    public void close() throws SQLException {
        for (PeerPool each : pools.values()) {
            each.close();
        }
    }
}
