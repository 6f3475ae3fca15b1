package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.meter.SilentDeath;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.wire.auth.PasswordChecks;
import dev.headgate.wire.loop.ClientSocket;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The PostgreSQL wire port: clients connect with any driver, name a domain as their database, and share its pool.
 *
 * <p>Every client belongs to one {@link dev.headgate.wire.loop.Loop} from its connect to its end. The loop of a connection's holder watches the
 * connection. An idle client has no buffer and no thread. Safe for any number of threads.
 */
public final class WirePort implements AutoCloseable {

    /** The name of the console's database, which is not a domain. */
    public static final String CONSOLE = "headgate";

    private static final Logger LOG = System.getLogger(WirePort.class.getName());

    private static final int BACKLOG = 1024;

    /** How often the accepting thread looks for room while clients that have not logged in take all. */
    private static final long ROOM_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long sessions that the port has ended may take to release their connections. */
    static final Duration LAST_GRACE = Duration.ofSeconds(1);

    private final WireSettings settings;
    private final ServerSocketChannel listening;
    private final RelayLoops loops;
    private final Clients clients;
    private final Host.Premises premises;
    private final Arrivals arrivals;

    /** Of clients with messages. Guarded by itself: they are taken by many threads. */
    private final Arrivals messageArrivals;

    /** Whether the loops end with the port. */
    private final boolean ownsLoops;

    private WirePort(
            WireSettings settings,
            Directory directory,
            ServerSocketChannel listening,
            RelayLoops loops,
            boolean ownsLoops,
            LoginListener logins,
            Supervisor supervisor) {
        this.settings = settings;
        this.arrivals = new Arrivals(settings.mostArriving(), settings.connectionsPerAddress());
        this.messageArrivals = new Arrivals(settings.mostArriving(), settings.connectionsPerAddress());
        this.listening = listening;
        this.loops = loops;
        this.ownsLoops = ownsLoops;
        this.clients = new Clients(directory, settings.mostClients());
        SecureRandom random = new SecureRandom();
        Lock showing = new ReentrantLock(true);
        this.premises = new Host.Premises(
                settings,
                directory,
                loops,
                clients,
                logins,
                new PasswordChecks(WireSettings.defaultLoops()),
                random,
                Login.nobodys(random),
                user -> new Console(user, this, directory.operations(), showing),
                supervisor);
    }

    /** Starts to listen and to serve clients, on loops of its own. */
    public static WirePort open(WireSettings settings, Directory directory) throws IOException {
        return open(settings, directory, new LoopLog());
    }

    /** The same, with a listener for stalled loops. */
    public static WirePort open(WireSettings settings, Directory directory, LoopListener listener) throws IOException {
        MemoryAccount memory = new MemoryAccount(MemoryAccount.quarterOfHeap(), RelayLoops.PORTIONS);
        return open(settings, directory, listener, memory, Supervisor.silent());
    }

    /** The same, with the account of the clients' memory, and a supervisor of the accepting thread and the loops. */
    public static WirePort open(
            WireSettings settings,
            Directory directory,
            LoopListener listener,
            MemoryAccount memory,
            Supervisor supervisor)
            throws IOException {
        RelayLoops loops = RelayLoops.open(settings.loops(), true, listener, memory, supervisor);
        try {
            return open(settings, directory, loops, true, LoginListener.NONE, supervisor);
        } catch (IOException e) {
            loops.close();
            throw e;
        }
    }

    /** The same, on loops that others use as well. They outlive the port. */
    public static WirePort open(
            WireSettings settings, Directory directory, RelayLoops loops, LoginListener logins, Supervisor supervisor)
            throws IOException {
        return open(settings, directory, loops, false, logins, supervisor);
    }

    private static WirePort open(
            WireSettings settings,
            Directory directory,
            RelayLoops loops,
            boolean ownsLoops,
            LoginListener logins,
            Supervisor supervisor)
            throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(new InetSocketAddress(settings.address(), settings.port()), BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        WirePort port = new WirePort(settings, directory, listening, loops, ownsLoops, logins, supervisor);
        Thread _ = supervisor.keep("wire-accept", Thread.ofPlatform().daemon(), port.clients::isClosed, port::accept);
        return port;
    }

    /** The port it listens on. */
    public int port() {
        return listening.socket().getLocalPort();
    }

    WireSettings settings() {
        return settings;
    }

    /** The state of each of its loops. */
    public List<LoopStatus> loops() {
        return loops.status();
    }

    public ArrivalStatus arrivals() {
        return arrivals.status();
    }

    /** For tests: runs a task on the first loop. */
    void onLoop(Runnable task) {
        loops.first().loop().execute(task);
    }

    /** All admitted clients, in no order. */
    public List<ClientStatus> clients() {
        return clients.status();
    }

    /** One admitted client by its id; empty if there is no such client. */
    public Optional<ClientStatus> client(int id) {
        return clients.status(id);
    }

    /** The ids of a domain's admitted clients, each with its user. Costs what it returns. */
    public Map<Integer, String> usersOf(String domain) {
        return clients.users(domain);
    }

    /** How many clients are admitted. */
    public int clientCount() {
        return clients.size();
    }

    /** Ends a client's session at once, by its id, and cancels its running statement. False if there is no such session. */
    public boolean kill(int id) {
        Relay relay = clients.relay(id);
        if (relay != null) {
            Clients.kill(relay);
        }
        return relay != null;
    }

    /**
     * Ends the sessions of clients that the directory no longer knows, or knows by another password, at once. Called after a
     * deletion. A client that is being authenticated at that moment is not admitted.
     */
    public void endUnknown() {
        clients.endUnknown();
    }

    // ---- arriving clients

    /** Accepts one client, when there is room for one more that has not logged in. */
    private void accept() {
        long wait = arrivals.untilRoom(System.nanoTime());
        if (wait > 0) {
            LockSupport.parkNanos(Math.min(wait, ROOM_CHECK_NANOS));
            return;
        }
        try {
            SocketChannel channel = listening.accept();
            RelayLoop home = loops.next();
            InetAddress address = ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
            arrivals.enter(System.nanoTime(), home.loop(), address)
                    .ifPresentOrElse(
                            place -> home.loop()
                                    .execute(fault -> sendAway(channel, place), () -> meet(channel, home, place)),
                            () -> quietly(channel));
        } catch (IOException e) {
            if (!clients.isClosed()) {
                LOG.log(Logger.Level.WARNING, "The wire port could not take a client: " + e.getMessage());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    private void meet(SocketChannel channel, RelayLoop home, Arrivals.Place place) {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SilentDeath.notice(channel);
            new Host(
                    premises,
                    home,
                    place,
                    handler -> new ClientSocket(home.loop(), channel, handler),
                    new Host.Manners(settings.tls(), false));
        } catch (IOException gone) {
            LOG.log(Logger.Level.DEBUG, "A client of the wire port has gone: " + gone.getMessage());
            sendAway(channel, place);
        }
    }

    private static void sendAway(SocketChannel channel, Arrivals.Place place) {
        place.leave();
        quietly(channel);
    }

    /**
     * Takes a client whose bytes come and go as messages. The client sends its password itself, so the caller must make sure that
     * no one else can read them.
     *
     * @return empty if the port is closed, or too many such clients, of all or of its address, have not logged in
     */
    public Optional<MessageClient> take(InetSocketAddress address) {
        RelayLoop home = loops.next();
        Optional<Arrivals.Place> entered;
        synchronized (messageArrivals) {
            long now = System.nanoTime();
            entered = clients.isClosed() || messageArrivals.untilRoom(now) > 0
                    ? Optional.empty()
                    : messageArrivals.enter(now, home.loop(), address.getAddress());
        }
        if (entered.isEmpty()) {
            return Optional.empty();
        }
        Arrivals.Place place = entered.get();
        MessageClient client = new MessageClient(home, address);
        home.loop().execute(() -> {
            try {
                new Host(premises, home, place, client::open, new Host.Manners(Optional.empty(), true));
            } catch (IOException e) {
                throw new IllegalStateException(e); // it opens no socket
            }
        });
        return Optional.of(client);
    }

    // ---- the end

    /**
     * Accepts no more clients, tells the idle ones (57P01), and lets transactions end within the given time. Blocks for at most
     * the grace plus {@code LAST_GRACE}, whatever a loop or a client does.
     */
    public void close(Duration grace) {
        clients.close();
        quietly(listening);
        clients.stop();
        awaitNobody(grace);
        clients.killAll();
        awaitNobody(LAST_GRACE);
        if (clients.size() > 0) {
            LOG.log(Logger.Level.WARNING, "The wire port is left with " + clients.size() + " clients");
        }
        if (ownsLoops) {
            loops.close();
        }
    }

    private void awaitNobody(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!clients.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** The default listener. */
    static final class LoopLog implements LoopListener {
        @Override
        public void stalled(Turning loop, Instant since, String threads) {
            LOG.log(
                    Logger.Level.WARNING,
                    loop.name() + " has not turned since " + since + ". All threads:\n" + threads);
        }

        @Override
        public void turnsAgain(Turning loop, Duration stood) {
            LOG.log(Logger.Level.INFO, loop.name() + " turns again, after " + stood);
        }
    }

    private static void quietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // it is closed in either case
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }
}
