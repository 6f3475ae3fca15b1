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
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A physical connection on loops: its channel, what relays know of it, and the relay that has it leased. It outlives leases,
 * as the connection's {@link Leftovers}, and stays registered with every loop that has used it, so that moving between
 * loops needs no other thread: a loop that is told of it and has not leased it loses interest in it. Belongs to the lease's
 * holder, but for what a loop is told.
 */
final class ServerLine implements Leftovers {

    final Link link;
    private final Map<Loop, Watch> watches = new HashMap<>(2);
    private boolean flushed = true;
    private boolean reading = true;
    private volatile @Nullable RelayLease lease;
    private @Nullable ServerChannel channel;

    /** By which loop's watch the present relay is told; one field, so that a loop sees both or neither. */
    private volatile @Nullable Tie tie;

    private record Tie(Watch watch, Relay relay) {}

    /** The connection as one loop sees it. */
    private final class Watch implements Loop.Ready {
        private @Nullable SelectionKey key;

        @Override
        public void ready(int operations) {
            Tie present = tie;
            if (present != null && present.watch.equals(this)) {
                present.relay.serverReady(ServerLine.this, operations);
            } else {
                // whoever leases it next looks whether it has ended; JDBC and other loops read for themselves
                want(0);
            }
        }

        @Override
        public void failed(Throwable fault) {
            Tie present = tie;
            if (present != null && present.watch.equals(this)) {
                present.relay.failed();
            }
        }

        /** From any thread. @return whether that was another wish */
        boolean want(int operations) {
            SelectionKey present = key;
            if (present == null || !present.isValid() || present.interestOps() == operations) {
                return false;
            }
            present.interestOps(operations);
            return true;
        }
    }

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
        Watch watch = watches.computeIfAbsent(loop, _ -> new Watch());
        watches.values().forEach(other -> {
            if (!other.equals(watch)) {
                other.want(0);
            }
        });
        tie = new Tie(watch, to);
        reading = true;
        if (watch.key == null) {
            watch.key = loop.watch(channel.channel(), SelectionKey.OP_READ, watch);
        } else {
            watch.want(SelectionKey.OP_READ);
        }
    }

    /** The lease's holder; the line is nobody's until it is leased again. */
    RelayLease detach() {
        RelayLease held = lease;
        if (held == null) {
            throw new IllegalStateException("the connection is not leased");
        }
        lease = null;
        tie = null;
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
        Tie present = tie;
        boolean begins = read && !reading;
        reading = read;
        return present != null
                && present.watch.want((read ? SelectionKey.OP_READ : 0) | (write ? SelectionKey.OP_WRITE : 0))
                && begins;
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
