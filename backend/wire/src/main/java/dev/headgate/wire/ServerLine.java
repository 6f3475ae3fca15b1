package dev.headgate.wire;

import dev.headgate.engine.RelayLease;
import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.meter.Prepared;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A physical connection on loops: its channel, the relays' knowledge of it, and the relay that has leased it. It outlives
 * leases, as the connection's {@link Leftovers}. It stays registered with every loop that has used it, so that a move between
 * loops needs no other thread: a loop that gets an event for it without having leased it clears its interest. Belongs to the
 * lease's holder, except the loops' events.
 */
final class ServerLine implements Leftovers {

    /** The most bytes that one turn sends. */
    private static final int MOST_SENT = 256 * 1024;

    final Link link;
    private int room;
    private final Map<Loop, Watch> watches = new HashMap<>(2);
    private boolean flushed = true;
    private boolean reading = true;
    private volatile @Nullable RelayLease lease;
    private @Nullable ServerChannel channel;

    /** The current relay and the loop that serves it. One field, so that a loop sees both or neither. */
    private volatile @Nullable Tie tie;

    private record Tie(Watch watch, Relay relay) {}

    /** One loop's registration of the connection. */
    private final class Watch implements Loop.Ready {
        private @Nullable SelectionKey key;

        @Override
        public void ready(int operations) {
            Tie present = tie;
            if (present != null && present.watch.equals(this)) {
                present.relay.serverReady(ServerLine.this, operations);
            } else {
                // the next holder checks whether it has ended; JDBC and other loops read for themselves
                want(0);
            }
        }

        @Override
        public void failed(Throwable fault) {
            Tie present = tie;
            if (present != null && present.watch.equals(this)) {
                present.relay.failed(fault);
            }
        }

        /** From any thread. @return whether the interest changed */
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
        link.tellsTo(this::executes);
    }

    /**
     * The line of a leased connection. The relay's loop watches it from now on.
     *
     * @param began receives what the server has reported, if the connection is new
     */
    static ServerLine of(RelayLease lease, Relay relay, Loop loop, Buffers buffers, Consumer<Map<String, String>> began)
            throws IOException, SQLException {
        ServerLine line;
        if (lease.left() instanceof ServerLine known) {
            line = known;
        } else {
            Map<String, String> reported =
                    lease.connection().unwrap(PGConnection.class).getParameterStatuses();
            began.accept(reported);
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

    private void executes(byte[] text, int from, int to) {
        RelayLease present = lease;
        if (present != null) {
            present.executes(text, from, to);
        }
    }

    /** Called by the lease's holder. No relay has the line until the next lease. */
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

    /**
     * Sends written bytes as far as the socket accepts them, and no more than {@link #MOST_SENT}: a server that reads as fast as this
     * writes must not keep the loop from its other clients.
     *
     * @return whether all are sent
     */
    boolean flush() throws IOException {
        ServerChannel to = channel();
        room = MOST_SENT;
        flushed = link.out.drain(this::send) && to.flush();
        return flushed;
    }

    private int send(byte[] bytes, int offset, int count) throws IOException {
        if (room <= 0) {
            return 0;
        }
        int sent = channel().write(bytes, offset, Math.min(count, room));
        room -= sent;
        return sent;
    }

    /** Whether the last send sent all written bytes. */
    boolean isFlushed() {
        return flushed;
    }

    /** Sets the interest in reading and writing. @return whether reading is wanted now and was not before */
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
    public Prepared prepared() {
        return link.prepared();
    }

    @Override
    public void disturbed() {
        link.unnamedIsUnknown();
    }
}
