package dev.headgate.engine.connect;

import dev.headgate.engine.Lease;
import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.TapSocketFactory;
import dev.headgate.engine.meter.TappedSocket;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that were opened for one connection: usually one, two if the driver tries another {@code sslmode}. Closes all
 * of them when the connection ends, whatever the driver did: pgjdbc flushes before it closes, and leaves the socket open if
 * the flush fails because the server is gone.
 */
final class ConnectionSockets implements TapSocketFactory.Tapping {

    private final ConnectionMeter meter;
    private final SocketLedger ledger;
    private final List<SocketLedger.Entry> entries = new CopyOnWriteArrayList<>();
    private volatile @Nullable TappedSocket current;
    private volatile boolean lost;
    private volatile boolean ended;

    ConnectionSockets(ConnectionMeter meter, SocketLedger ledger) {
        this.meter = meter;
        this.ledger = ledger;
    }

    @Override
    public ConnectionMeter meter() {
        return meter;
    }

    @Override
    public TapSocketFactory.Place socketOpens() throws IOException {
        SocketLedger.Entry entry = ledger.open();
        entries.add(entry);
        if (ended) {
            entry.close();
            throw new IOException("the connection was given up while it was opened");
        }
        return entry;
    }

    @Override
    public void speaksOver(TappedSocket socket) {
        current = socket;
    }

    /** The socket to the server, above TLS if there is TLS. */
    TappedSocket current() {
        return Objects.requireNonNull(current, "an open connection has a socket");
    }

    /** Its places in the budget. */
    List<SocketLedger.Entry> entries() {
        return entries;
    }

    /** Whether the connection can still be used, as far as its socket shows. */
    boolean isOpen() {
        return entries.stream().anyMatch(SocketLedger.Entry::isOpen);
    }

    /** The current lease, if there is one. From any thread. */
    @Nullable
    Lease lease() {
        return meter.holder() instanceof Lease lease ? lease : null;
    }

    /**
     * Looks whether the server has ended the connection, unless its end has another reason already. By whoever holds the
     * connection.
     */
    boolean findsLoss() {
        if (meter.ending() == null && isOpen() && current().hasEnded()) {
            lost = true;
        }
        return lost;
    }

    /** Whether a look has found that the server had ended the connection. */
    boolean isLost() {
        return lost;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Closes every socket and its entry. From any thread. Sends nothing and never waits for the server. */
    void end() {
        ended = true;
        entries.forEach(SocketLedger.Entry::closeSocket);
    }
}
