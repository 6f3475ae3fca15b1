package dev.headgate.wire;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayLease;
import dev.headgate.engine.RelayListener;
import dev.headgate.engine.Requester;
import dev.headgate.engine.SessionReset;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.StatementCatalog;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Link;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import dev.headgate.wire.session.Surroundings;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A {@link Session} between a client's end and a connection's socket. Passes it the bytes that arrive, sends the bytes that it
 * writes, and makes its requests to the pool. Belongs to its loop's thread.
 */
public final class Relay implements Conversation, Surroundings, Requester, Loop.Owner {

    /** The most reads of one connection per turn, so that a fast one does not delay the others. */
    private static final int MOST_READS = 4;

    /** Fewer bytes in buffers are not counted. */
    private static final int COUNTED = 1024;

    private final Loop loop;
    private final Buffers buffers;
    private final ClientEnd client;
    private final Pool pool;
    private final ReportedParameters reports;
    private final Peer peer;
    private final MemoryAccount.Share memory;
    private final DomainBuffers domain;
    private final Runnable onEnded;
    private final BlockingWork work;
    private final Session session;
    private volatile @Nullable ServerLine server;

    /** The last connection's id. */
    private String connection = "";

    private long waitedNanos;
    private @Nullable LeaseException refusal;
    private @Nullable Asking asking;
    private boolean calling;
    private boolean ended;

    /** Bytes that the account knows of its buffers. */
    private long buffered;

    private Loop.@Nullable Timer alarm;

    /** @param onEnded called once, when the session holds nothing any more */
    Relay(
            ClientEnd client,
            Loop loop,
            Buffers buffers,
            Peer peer,
            Session.Client who,
            Rules rules,
            Map<String, String> startup,
            StatementCatalog catalog,
            DomainClients.Shared domain,
            AtomicLong schemas,
            ReportedParameters reports,
            Pool pool,
            MemoryAccount.Share memory,
            BlockingWork work,
            Runnable onEnded) {
        this.work = work;
        this.loop = loop;
        this.buffers = buffers;
        this.client = client;
        this.pool = pool;
        this.reports = reports;
        this.peer = peer;
        this.memory = memory;
        this.domain = domain.buffers();
        this.onEnded = onEnded;
        this.session = new Session(
                who, rules, startup, client.in(), client.out(), buffers, catalog, domain.texts(), schemas, this);
    }

    // ---- who it is, for an operator

    @Override
    public Kind kind() {
        return peer.kind();
    }

    @Override
    public String user() {
        return peer.user();
    }

    @Override
    public String application() {
        return session.status().application();
    }

    @Override
    public String address() {
        return peer.address();
    }

    @Override
    public String transaction() {
        return peer.transaction();
    }

    @Override
    public void cancel(Lease lease) {
        whileHeld(lease, session::cancelForOperator);
    }

    @Override
    public void end(Lease lease, String why) {
        whileHeld(lease, () -> session.expel(why));
    }

    @SuppressWarnings("ReferenceEquality") // this very lease
    private void whileHeld(Lease lease, Runnable event) {
        tell(() -> {
            ServerLine held = server;
            if (held != null && held.lease() == lease) {
                event.run();
            }
        });
    }

    public Session session() {
        return session;
    }

    /** The id of the connection that it holds; empty for none. Any thread; the value may be slightly old. */
    public String connectionId() {
        ServerLine held = server;
        RelayLease lease = held == null ? null : held.lease();
        return lease == null ? "" : lease.connectionId();
    }

    /** The id of the connection that it holds or held last; empty if there was none. On the loop. */
    public String lastConnectionId() {
        return connection;
    }

    /** How long it has waited for connections. On the loop. */
    public long waitedNanos() {
        return waitedNanos;
    }

    /** Why the pool refused its last request for a connection; null if it did not. On the loop. */
    public @Nullable LeaseException refusal() {
        return refusal;
    }

    // ---- events

    @Override
    public void received() {
        session.fromClient();
        settle();
    }

    @Override
    public void drained() {
        session.drained();
        settle();
    }

    @Override
    public void gone() {
        session.clientGone();
        settle();
    }

    @Override
    public int wanted() {
        return session.wanted();
    }

    /** Whether the client should send more. */
    public boolean wantsMore() {
        return session.wantsClient();
    }

    @Override
    public void abandon() {
        session.abandon();
    }

    @Override
    public void stop() {
        session.stop();
        settle();
    }

    /** Runs an action on the session, on its loop, and then handles the session's requests. Any thread. */
    public void tell(Runnable event) {
        loop.execute(this, () -> {
            event.run();
            settle();
        });
    }

    /** Ends the session, discards its connection and closes its client. */
    @Override
    public void failed(Throwable fault) {
        try {
            session.abandon();
        } finally {
            client.closeNow();
        }
    }

    void serverReady(ServerLine line, int operations) {
        if ((operations & SelectionKey.OP_WRITE) != 0 && flush(line)) {
            session.drained();
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            read(line);
        }
        settle();
    }

    @SuppressWarnings("ReferenceEquality") // the same line or not
    private void read(ServerLine line) {
        byte[] scratch = loop.scratch();
        int most = Math.min(scratch.length, session.room());
        for (int reads = 0; reads < MOST_READS && server == line && session.wantsServer(); reads++) {
            int got;
            try {
                got = line.channel().read(scratch, 0, most);
            } catch (IOException broken) {
                session.serverGone(String.valueOf(broken.getMessage()));
                return;
            }
            if (got < 0) {
                session.serverGone("the server closed it");
                return;
            }
            if (got == 0) {
                return;
            }
            line.link.in.feed(scratch, 0, got);
            session.fromServer();
            if (server != line) { // released: it may be another loop's by now
                loop.wipe(got);
                return;
            }
            line.link.in.keep();
            loop.wipe(got);
            if (got < most && !line.channel().mayHoldMore()) {
                return;
            }
        }
        if (server == line && session.wantsServer() && line.channel().mayHoldMore()) {
            loop.execute(this, () -> serverReady(line, SelectionKey.OP_READ));
        }
    }

    /** Sends the session's output and sets the selector's interest. The client's messages that were handled are forgotten. */
    private void settle() {
        flushBoth();
        for (int rounds = 0; session.canGoOn() && rounds < MOST_READS; rounds++) {
            session.drained();
            flushBoth();
        }
        if (session.canGoOn()) {
            loop.execute(this, this::settle);
        }
        client.in().keep();
        count();
        watch();
    }

    /** Counts what is held for both peers. Of a client that reads and sends whole messages it is next to nothing after every event. */
    private void count() {
        long now = ended ? 0 : session.held() + client.untaken();
        long counts = now < COUNTED ? 0 : now;
        if (counts != buffered) {
            domain.change(counts - buffered);
            buffered = counts;
        }
    }

    private void flushBoth() {
        ServerLine line = server;
        if (line != null) {
            flush(line);
        }
        client.settle();
    }

    /** Sets the selector's interest in the server. */
    private void watch() {
        ServerLine line = server;
        if (line != null
                && line.want(session.wantsServer(), !line.isFlushed())
                && line.channel().mayHoldMore()) {
            loop.execute(this, () -> serverReady(line, SelectionKey.OP_READ));
        }
    }

    private boolean flush(ServerLine line) {
        if (!line.equals(server)) {
            return false;
        }
        try {
            return line.flush();
        } catch (IOException broken) {
            session.serverGone(String.valueOf(broken.getMessage()));
            return false;
        }
    }

    // ---- the session's requests

    @Override
    public long nanoTime() {
        return loop.now();
    }

    /** One request for a lease. An answer that arrives after its end has no effect. */
    private final class Asking implements RelayListener {
        private final long sinceNanos = loop.nanoTime();
        private @Nullable Runnable giveUp;

        @Override
        public void leased(RelayLease lease) {
            if (!equals(asking)) {
                lease.close();
                return;
            }
            ended(null, lease.waitedNanos());
            ServerLine line;
            try {
                line = ServerLine.of(
                        lease,
                        Relay.this,
                        loop,
                        buffers,
                        reported -> reports.connected(pool.database().target(), reported));
            } catch (IOException | SQLException broken) {
                lease.discard();
                session.refused("08006", "the connection to the database was lost: " + broken.getMessage(), "");
                settleUnlessCalling();
                return;
            }
            server = line;
            connection = lease.connectionId();
            session.leased(line.link);
            settleUnlessCalling();
        }

        /** @param queuedNanos 0 if it did not wait at the gate */
        private void ended(@Nullable LeaseException why, long queuedNanos) {
            asking = null;
            refusal = why;
            waitedNanos += loop.nanoTime() - sinceNanos;
            if (queuedNanos > 0) {
                session.status().waited(queuedNanos);
            }
        }

        @Override
        public void refused(LeaseException why) {
            if (!equals(asking)) {
                return;
            }
            ended(why, why.situation().waitedNanos());
            session.refused(
                    why.getSQLState(),
                    why.getMessage(),
                    "Domain %s, waited %.1f ms, size %d of ceiling %d, %d in use, %d waiting. %s"
                            .formatted(
                                    why.situation().domain(),
                                    why.situation().waitedNanos() / 1e6,
                                    why.situation().size(),
                                    why.situation().ceiling(),
                                    why.situation().inUse(),
                                    why.situation().waiting(),
                                    why.situation().reason())
                            .strip());
            settleUnlessCalling();
        }
    }

    /** During the session's own call its requests are handled afterwards. */
    private void settleUnlessCalling() {
        if (!calling) {
            client.in().keep();
            settle();
        }
    }

    @Override
    public void lease(String holder) {
        Asking fresh = new Asking();
        asking = fresh;
        calling = true;
        Runnable giveUp;
        try {
            giveUp = pool.relay(request(holder), task -> loop.execute(this, task), fresh);
        } finally {
            calling = false;
        }
        if (fresh.equals(asking)) {
            fresh.giveUp = giveUp;
        }
    }

    /** A request for a lease of this client. */
    LeaseRequest request(String holder) {
        return new LeaseRequest(holder, Long.MAX_VALUE, SessionReset.WHEN_DIRTY, this);
    }

    @Override
    public void giveUp() {
        Asking present = asking;
        asking = null;
        if (present != null && present.giveUp != null) {
            present.giveUp.run();
        }
    }

    @Override
    public void release(Link link, boolean fit) {
        ServerLine line = Objects.requireNonNull(server);
        server = null;
        link.in.keep(); // from the lease's end on it is the next holder's
        RelayLease lease = line.detach();
        if (fit) {
            lease.close();
        } else {
            lease.discard();
        }
    }

    @Override
    public void cancel(Link link) {
        RelayLease lease = server == null ? null : server.lease();
        work.begin("wire-cancel", "wire-" + session.status().id() + "-cancel", () -> {
            try {
                if (lease != null) {
                    lease.connection().unwrap(PGConnection.class).cancelQuery();
                }
            } catch (SQLException e) {
                // as with the server: the client gets no answer
            } finally {
                tell(session::cancelled);
            }
        });
    }

    @Override
    public void wakeAt(long nanos) {
        Loop.Timer before = alarm;
        if (before != null) {
            before.cancel();
        }
        alarm = loop.at(this, nanos, () -> {
            alarm = null;
            session.alarm();
            settle();
        });
    }

    @Override
    public boolean hold(long bytes) {
        return memory.tryReserve(bytes);
    }

    @Override
    public void holdAgain(long bytes) {
        memory.reserve(bytes);
    }

    @Override
    public void letGo(long bytes) {
        memory.release(bytes);
    }

    @Override
    public boolean isFull() {
        return domain.isFull();
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public void ended() {
        if (alarm != null) {
            alarm.cancel();
        }
        client.close();
        ended = true;
        count();
        memory.close();
        onEnded.run();
    }
}
