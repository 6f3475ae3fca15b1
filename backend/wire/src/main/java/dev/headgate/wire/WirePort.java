package dev.headgate.wire;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.RelayLease;
import dev.headgate.engine.loop.ChannelSocket;
import dev.headgate.engine.loop.EventLoop;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.wire.Directory.Domain;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.protocol.Buffers;
import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.ProtocolException;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import jdk.net.ExtendedSocketOptions;

/**
 * The PostgreSQL wire port: clients connect with any driver, name a domain as their database, and share its pool.
 *
 * <p>Every client has a virtual thread, from its connect to its end ({@link Session}). An idle one has neither a buffer nor
 * a thread of the operating system. It is let in on an ordinary virtual thread, where a TLS handshake may take its time,
 * and served on one of an {@link EventLoop}. Safe for use by any number of threads.
 */
public final class WirePort implements AutoCloseable {

    /** The database that is no domain: the console. */
    public static final String CONSOLE = "headgate";

    private static final Logger LOG = System.getLogger(WirePort.class.getName());

    private static final String DELETED = "this client was deleted";

    private static final int BACKLOG = 1024;

    /** A relay is little work; the database beside it has more use for the other processors. */
    private static final int LOOPS = Math.max(1, Runtime.getRuntime().availableProcessors() / 4);

    /** For sessions that were ended to give their connections back. */
    static final Duration LAST_GRACE = Duration.ofSeconds(1);

    private final WireSettings settings;
    private final Directory directory;
    private final ServerSocketChannel listening;
    /** Where clients are served; empty where the JVM has no event loops, then it is on ordinary virtual threads. */
    private final List<EventLoop> loops;

    private final Buffers buffers = new Buffers();
    private final SecureRandom random = new SecureRandom();
    private final Login login = new Login(random);
    private final AtomicInteger processes = new AtomicInteger();
    private final Map<Integer, Session> sessions = new ConcurrentHashMap<>();
    private final Set<Socket> arriving = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicInteger> clientsOf = new ConcurrentHashMap<>();

    /** What a session with given settings on a given database is told of them: asked once, then known. */
    private final Map<Told, Map<String, String>> reports = new ConcurrentHashMap<>();

    /** How often a schema was seen to change. */
    private final AtomicLong schemas = new AtomicLong();

    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("wire-watch").factory());
    private final SystemTime time = new SystemTime();
    private final LoopWatch loopWatch;
    private volatile boolean closed;

    private static final String APPLICATION = "application_name";
    private static final Pattern PLAIN_NAME = Pattern.compile("[ -~]{0,63}");

    private record Told(String database, Map<String, String> settings) {}

    private WirePort(
            WireSettings settings,
            Directory directory,
            ServerSocketChannel listening,
            List<EventLoop> loops,
            LoopListener listener) {
        this.settings = settings;
        this.directory = directory;
        this.listening = listening;
        this.loops = loops;
        this.loopWatch = new LoopWatch(loops.stream().map(Watchable::new).toList(), time, listener);
    }

    /** A loop that turns a few times a second by itself. */
    private record Watchable(EventLoop loop) implements Turning {
        @Override
        public String name() {
            return loop.name();
        }

        @Override
        public void nudge() {
            // it turns by itself
        }

        @Override
        public long turns() {
            return loop.turns();
        }

        @Override
        public Thread thread() {
            return loop.thread();
        }
    }

    /** Listens; clients are served from now on, each on a virtual thread. */
    public static WirePort open(WireSettings settings, Directory directory) throws IOException {
        return open(settings, directory, LOOPS);
    }

    /** The same, and tells of loops that stand still. */
    public static WirePort open(WireSettings settings, Directory directory, LoopListener listener) throws IOException {
        return open(settings, directory, LOOPS, listener);
    }

    /** @param wanted loops to serve clients on; 0 for ordinary virtual threads */
    static WirePort open(WireSettings settings, Directory directory, int wanted) throws IOException {
        return open(settings, directory, wanted, new LoopLog());
    }

    private static WirePort open(WireSettings settings, Directory directory, int wanted, LoopListener listener)
            throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        List<EventLoop> loops = new ArrayList<>();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(new InetSocketAddress(settings.address(), settings.port()), BACKLOG);
            for (int i = 0; i < wanted; i++) {
                EventLoop.open("wire-loop-" + i).ifPresent(loops::add);
            }
        } catch (IOException e) {
            listening.close();
            loops.forEach(EventLoop::close);
            throw e;
        }
        if (loops.size() < wanted) {
            LOG.log(
                    Logger.Level.WARNING,
                    "The wire port is slower than it could be: start the JVM with --add-opens java.base/java.lang=ALL-UNNAMED");
        }
        WirePort port = new WirePort(settings, directory, listening, List.copyOf(loops), listener);
        Thread.ofPlatform().daemon().name("wire-accept").start(port::accept);
        var _ = port.watch.scheduleAtFixedRate(port::endStalled, 1, 1, TimeUnit.SECONDS);
        return port;
    }

    /** The port it listens on. */
    public int port() {
        return listening.socket().getLocalPort();
    }

    /** Everyone who is let in, in no order. */
    public List<ClientStatus> clients() {
        return sessions.values().stream().map(Session::status).toList();
    }

    /** How each of its loops is doing. */
    public List<LoopStatus> loops() {
        return loopWatch.status();
    }

    /** Ends a client's session as it is, with what the server does for it, by its id; false where there is none. */
    public boolean kill(int id) {
        Session session = sessions.get(id);
        if (session != null) {
            session.kill();
        }
        return session != null;
    }

    /**
     * Ends the sessions of those whom the directory knows no longer, or by another password, as they are: called after they
     * were deleted. Whoever is being let in meanwhile is not.
     */
    public void endUnknown() {
        List<Session> unknown = sessions.values().stream()
                .filter(session -> !isKnown(session.admission))
                .toList();
        unknown.forEach(Session::leaseNoMore); // or the end of one would serve another that waits
        unknown.forEach(session -> session.dismiss(DELETED));
    }

    private boolean isKnown(Admission admission) {
        return directory
                .client(admission.domain(), admission.user())
                .filter(admission.verifier()::equals)
                .isPresent();
    }

    // ---- clients come

    private void accept() {
        while (!closed) {
            try {
                SocketChannel channel = listening.accept();
                noticeDeath(channel);
                Socket socket = new ChannelSocket(channel);
                Thread.ofVirtual().name("wire-" + socket.getPort()).start(() -> meet(socket));
            } catch (IOException | RuntimeException | Error e) { // whatever it is, others will come
                if (!closed) {
                    LOG.log(Logger.Level.WARNING, "The wire port could not take a client", e);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }
    }

    /** Has the system find out within two minutes that a client is gone that may be silent for as long as it likes. */
    private static void noticeDeath(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPCOUNT)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 15);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 4);
        }
    }

    private void meet(Socket plain) {
        arriving.add(plain);
        boolean stays = false;
        try {
            plain.setTcpNoDelay(true);
            plain.setSoTimeout((int) settings.loginTimeout().toMillis());
            Greeting greeting = Greeting.read(plain, settings.tls());
            if (greeting.cancels().isPresent()) {
                cancel(greeting.cancels().get());
                return;
            }
            FrameReader in = new FrameReader(greeting.socket().getInputStream(), buffers);
            WatchedStream toClient = new WatchedStream(greeting.socket().getOutputStream());
            FrameWriter out = new FrameWriter(toClient, buffers);
            try {
                if (greeting.minor() > 0 || !greeting.unknownOptions().isEmpty()) {
                    negotiate(greeting, out);
                }
                if (greeting.database().equals(CONSOLE)) {
                    login.demand(greeting.user(), directory.client(CONSOLE, greeting.user()), in, out);
                    plain.setSoTimeout(0);
                    new Console(greeting.user(), this, directory.operations(), in, out).serve();
                } else {
                    Session session = admit(plain, greeting, in, toClient, out);
                    stays = true;
                    arriving.remove(plain); // from here on it is told when the port closes
                    serve(plain, session);
                }
            } catch (ProtocolException refused) {
                Fields.error(out, "FATAL", refused.sqlState(), refused.getMessage(), "");
                out.flush();
            }
        } catch (IOException gone) {
            noteGone(gone);
        } finally {
            arriving.remove(plain);
            if (!stays) {
                quietly(plain);
            }
        }
    }

    private static void noteGone(IOException gone) {
        LOG.log(Logger.Level.DEBUG, "A client of the wire port has gone: " + gone.getMessage());
    }

    private Session admit(Socket plain, Greeting greeting, FrameReader in, WatchedStream toClient, FrameWriter out)
            throws IOException {
        String name = greeting.database();
        String replication = greeting.parameters().getOrDefault("replication", "false");
        if (!Set.of("false", "off", "no", "0").contains(replication.toLowerCase(Locale.ROOT))) {
            throw new ProtocolException("0A000", "replication is not relayed; connect to the database itself for it");
        }
        Domain domain = directory
                .domain(name)
                .orElseThrow(() -> new ProtocolException(
                        "3D000", "there is no domain \"" + name + "\"; the database of a connection names the domain"));
        Map<String, String> wanted;
        try {
            wanted = Settings.of(greeting.parameters());
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("22023", e.getMessage());
        }
        Optional<ScramVerifier> verifier = directory.client(name, greeting.user());
        login.demand(greeting.user(), verifier, in, out);
        AtomicInteger count = clientsOf.computeIfAbsent(name, domainName -> new AtomicInteger());
        if (count.incrementAndGet() > domain.mostClients()) {
            count.decrementAndGet();
            throw new ProtocolException(
                    "53300", name + " has " + domain.mostClients() + " clients already, as many as it may");
        }
        Admission admission = new Admission(
                processes.incrementAndGet(),
                random.nextInt(),
                name,
                greeting.user(),
                verifier.orElseThrow(),
                greeting.parameters().getOrDefault("application_name", ""),
                plain.getInetAddress().getHostAddress() + ":" + plain.getPort());
        boolean admitted = false;
        try {
            Map<String, String> reported = welcome(domain, admission, wanted);
            for (Map.Entry<String, String> each : reported.entrySet()) {
                out.reported(each.getKey(), each.getValue());
            }
            out.header('K', 8).int32(admission.process()).int32(admission.secret());
            out.message('Z', (byte) 'I').flush();
            Session session =
                    new Session(admission, settings, domain, greeting.socket(), in, toClient, buffers, wanted, schemas);
            sessions.put(admission.process(), session);
            if (closed) {
                sessions.remove(admission.process());
                throw new ProtocolException("57P01", "Headgate is stopping");
            }
            if (!isKnown(admission)) { // looked at once it can be found by who ends the unknown
                sessions.remove(admission.process());
                throw new ProtocolException("57P01", DELETED);
            }
            admitted = true;
            return session;
        } finally {
            if (!admitted) {
                count.decrementAndGet();
            }
        }
    }

    /** Serves a client until it leaves: on a loop of its own thread, or on this thread where there are none. */
    private void serve(Socket plain, Session session) {
        Runnable service = () -> {
            try (plain) {
                session.serve();
            } catch (IOException gone) {
                noteGone(gone);
            } finally {
                sessions.remove(session.admission.process());
                Objects.requireNonNull(clientsOf.get(session.admission.domain()))
                        .decrementAndGet();
            }
        };
        if (loops.isEmpty()) {
            service.run();
        } else {
            loops.get(session.admission.process() % loops.size()).start("wire-" + session.admission.process(), service);
        }
    }

    /** For tests: runs a task on a virtual thread of the first loop. */
    Thread onLoop(Runnable task) {
        return loops.getFirst().start("task", task);
    }

    private static void negotiate(Greeting greeting, FrameWriter out) throws IOException {
        int length = 8;
        for (String option : greeting.unknownOptions()) {
            length += FrameWriter.sizeOf(option);
        }
        out.header('v', length).int32(3 << 16).int32(greeting.unknownOptions().size());
        for (String option : greeting.unknownOptions()) {
            out.cString(option);
        }
    }

    /** The door, and what the server would tell a session with these settings: asked once, whatever it calls itself. */
    private Map<String, String> welcome(Domain domain, Admission admission, Map<String, String> wanted)
            throws IOException {
        String name = admission.application();
        boolean plain = PLAIN_NAME.matcher(name).matches() // any other the server changes
                && Settings.command(APPLICATION, name).equals(wanted.get(APPLICATION));
        Map<String, String> asked = new HashMap<>(wanted);
        if (plain) {
            asked.remove(APPLICATION);
        }
        Map<String, String> told = new HashMap<>(reported(domain, admission, wanted, asked));
        if (plain) {
            told.replace(APPLICATION, name);
        }
        return told;
    }

    private Map<String, String> reported(
            Domain domain, Admission admission, Map<String, String> wanted, Map<String, String> asked)
            throws IOException {
        try {
            domain.pool().admit();
            Told told = new Told(domain.pool().database().name(), asked);
            Map<String, String> known = reports.get(told);
            if (known != null) {
                return known;
            }
            RelayLease lease = domain.pool()
                    .relay(new LeaseRequest(
                            admission.holder(admission.application()),
                            settings.loginTimeout().toNanos()));
            boolean fit = false;
            try {
                Link link = Link.of(lease, buffers);
                link.adopt(wanted);
                fit = true;
                Map<String, String> reported = Map.copyOf(link.reported);
                if (reports.size() < 1_000) {
                    reports.put(told, reported);
                }
                return reported;
            } finally {
                if (fit) {
                    lease.close();
                } else {
                    lease.discard();
                }
            }
        } catch (LeaseException refused) {
            throw new ProtocolException(refused.getSQLState(), refused.getMessage());
        } catch (SQLException wrong) {
            throw new ProtocolException(wrong.getSQLState(), wrong.getMessage());
        }
    }

    private void cancel(Greeting.Key key) {
        Session session = sessions.get(key.process());
        if (session != null && session.admission.secret() == key.secret()) {
            session.cancel();
        }
    }

    private void endStalled() {
        long now = System.nanoTime();
        for (Session session : sessions.values()) {
            try {
                if (session.isStalled(now)) {
                    LOG.log(
                            Logger.Level.INFO,
                            "A client takes nothing while it holds a connection, and is ended: " + session.status());
                    session.kill();
                }
            } catch (RuntimeException e) { // or this would never be called again
                LOG.log(Logger.Level.WARNING, "A client that takes nothing could not be ended", e);
            }
        }
    }

    // ---- the end

    /**
     * Takes no more clients, tells the idle ones (57P01), and lets transactions end within the given time. Blocks, but no
     * longer than {@code LAST_GRACE} and a second beyond the grace, whatever a loop or a client does.
     */
    public void close(Duration grace) {
        closed = true;
        quietly(listening);
        watch.shutdownNow();
        Thread end = Thread.ofPlatform().daemon().name("wire-close").start(() -> endAll(grace));
        try {
            if (!end.join(grace.plus(LAST_GRACE).plusSeconds(1))) {
                LOG.log(Logger.Level.WARNING, "The wire port is left with " + sessions.size() + " clients");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        loopWatch.close();
        time.close();
        loops.forEach(EventLoop::close);
    }

    /** May wait for ever where a loop stands still. */
    private void endAll(Duration grace) {
        arriving.forEach(WirePort::quietly);
        sessions.values().forEach(Session::stop);
        awaitNoSessions(grace);
        sessions.values().forEach(Session::kill);
        awaitNoSessions(LAST_GRACE);
    }

    private void awaitNoSessions(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!sessions.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Where nobody else listens. */
    private static final class LoopLog implements LoopListener {
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
            // it is gone either way
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }
}
