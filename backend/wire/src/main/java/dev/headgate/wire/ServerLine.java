package dev.headgate.wire;

import dev.headgate.engine.RelayLease;
import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.protocol.Buffers;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Link;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A physical connection on a loop: its channel, what relays know of it, and the relay that has it leased. It outlives
 * leases, as the connection's {@link Leftovers}, and stays with the loop that used it last: who leases it again there need
 * not have it watched anew. Belongs to the lease's holder.
 */
final class ServerLine implements Loop.Ready, Leftovers {

    final Link link;
    private boolean flushed = true;
    private volatile @Nullable RelayLease lease;
    private @Nullable ServerChannel channel;
    private @Nullable SelectionKey key;
    private volatile @Nullable Relay relay;

    private ServerLine(Link link) {
        this.link = link;
    }

    /** The line of a leased connection, watched by the relay's loop from now on. */
    static ServerLine of(RelayLease lease, Relay relay, Loop loop, Buffers buffers) throws IOException, SQLException {
        ServerLine line;
        if (lease.left() instanceof ServerLine known) {
            line = known;
        } else {
            Map<String, String> reported =
                    lease.connection().unwrap(PGConnection.class).getParameterStatuses();
            line = new ServerLine(new Link(reported, buffers));
            lease.leave(line);
        }
        line.link.out.use(buffers);
        line.attach(lease, relay, loop);
        return line;
    }

    private void attach(RelayLease by, Relay to, Loop loop) throws IOException {
        lease = by;
        channel = by.channel();
        relay = to;
        SelectionKey known = key;
        if (known != null && loop.watches(known)) {
            if (known.interestOps() != SelectionKey.OP_READ) {
                known.interestOps(SelectionKey.OP_READ);
            }
            return;
        }
        if (known != null) {
            known.cancel();
        }
        key = loop.watch(channel.channel(), SelectionKey.OP_READ, this);
    }

    /** The lease's holder; the line is nobody's until it is leased again. */
    RelayLease detach() {
        RelayLease held = lease;
        if (held == null) {
            throw new IllegalStateException("the connection is not leased");
        }
        lease = null;
        relay = null;
        return held;
    }

    @Nullable
    RelayLease lease() {
        return lease;
    }

    ServerChannel channel() {
        ServerChannel present = channel;
        if (present == null) {
            throw new IllegalStateException("the connection was never leased");
        }
        return present;
    }

    @Override
    public void ready(int operations) {
        Relay to = relay;
        if (to != null) {
            to.serverReady(this, operations);
        } else if (key != null) {
            // whoever leases it next looks whether it has ended, and JDBC reads for itself
            key.interestOps(0);
        }
    }

    @Override
    public void failed(Throwable fault) {
        Relay to = relay;
        if (to != null) {
            to.failed();
        }
    }

    /** Sends what was written, as far as the socket takes it. @return whether all of it has left */
    boolean flush() throws IOException {
        ServerChannel to = channel();
        flushed = link.out.drain(to::write) && to.flush();
        return flushed;
    }

    /** Whether all that was written had left when it was last sent. */
    boolean isFlushed() {
        return flushed;
    }

    /** Asks to be told when it can be read or written. @return whether it is to be read from now on, and was not before */
    boolean want(boolean read, boolean write) {
        int operations = (read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0);
        SelectionKey present = key;
        if (present == null || !present.isValid() || present.interestOps() == operations) {
            return false;
        }
        boolean begins = read && (present.interestOps() & SelectionKey.OP_READ) == 0;
        present.interestOps(operations);
        return begins;
    }

    @Override
    public void remove(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(link.removal());
        }
    }

    @Override
    public void disturbed() {
        link.unnamedIsUnknown();
    }
}
