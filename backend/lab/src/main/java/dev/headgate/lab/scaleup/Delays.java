package dev.headgate.lab.scaleup;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayLease;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns TCP_NODELAY of a pool's open connections on and off. pgjdbc sets it when it connects and a target has no setting for it, but
 * whoever relays a connection holds its socket, which the next JDBC lease of that connection uses too.
 */
final class Delays {

    private static final LeaseRequest REQUEST = LeaseRequest.by("TCP_NODELAY");

    private Delays() {}

    /**
     * Blocks until it has had every connection.
     *
     * @param connections of the pool
     */
    static void setNoDelay(Pool pool, int connections, boolean noDelay) throws LeaseException, SocketException {
        List<RelayLease> all = new ArrayList<>();
        try {
            for (int i = 0; i < connections; i++) {
                RelayLease lease = pool.relay(REQUEST);
                all.add(lease);
                lease.socket().setTcpNoDelay(noDelay);
            }
        } finally {
            all.forEach(RelayLease::close);
        }
    }
}
