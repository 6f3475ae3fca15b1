package dev.headgate.wire;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Pool;
import dev.headgate.engine.Requester;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.wire.Directory.Domain;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.loop.ClientSocket;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import dev.headgate.wire.session.SessionStatus;
import java.io.IOException;
import java.lang.System.Logger;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * The PostgreSQL wire port: clients connect with any driver, name a domain as their database, and share its pool.
 *
 * <p>Every client belongs to one {@link Loop} from its connect to its end. The loop of a connection's holder watches the
 * connection. An idle client has no buffer and no thread. Safe for any number of threads.
 */
public final class WirePort implements AutoCloseable {

    /** The name of the console's database, which is not a domain. */
    public static final String CONSOLE = "headgate";

    private static final Logger LOG = System.getLogger(WirePort.class.getName());

    private static final String DELETED = "this client was deleted";

    private static final int BACKLOG = 1024;

    /** How often the accepting thread looks for room while clients that have not logged in take all. */
    private static final long ROOM_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How long sessions that the port has ended may take to release their connections. */
    static final Duration LAST_GRACE = Duration.ofSeconds(1);

    /** How long a server may take for Headgate's own commands. */
    private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(10);

    private static final String APPLICATION = "application_name";
    private static final int LONGEST_NAME = 63;
    private static final Set<String> NO = Set.of("false", "off", "no", "0");

    /** An admitted client. */
    private record Guest(Admission admission, ClientLine line, Relay relay, Instant since) {}

    private record Told(String database, Map<String, String> settings) {}

    private final WireSettings settings;
    private final Directory directory;
    private final ServerSocketChannel listening;
    private final RelayLoops loops;
    private final SecureRandom random = new SecureRandom();
    private final ScramVerifier nobodys = Login.nobodys(random);
    private final Map<Integer, Guest> guests = new ConcurrentHashMap<>();

    /** All connected clients, admitted or not. */
    private final Set<ClientLine> lines = ConcurrentHashMap.newKeySet();

    private final Map<String, AtomicInteger> clientsOf = new ConcurrentHashMap<>();

    /** The reported parameters of a session with given settings on a given database. Asked for once, then cached. */
    private final Map<Told, Map<String, String>> reports = new ConcurrentHashMap<>();

    private final Arrivals arrivals;

    /** Of clients with messages. Guarded by itself: they are taken by many threads. */
    private final Arrivals messageArrivals;

    private final Supervisor supervisor;

    /** Whether the loops end with the port. */
    private final boolean ownsLoops;

    private volatile boolean closed;

    private WirePort(
            WireSettings settings,
            Directory directory,
            ServerSocketChannel listening,
            RelayLoops loops,
            boolean ownsLoops,
            Supervisor supervisor) {
        this.supervisor = supervisor;
        this.settings = settings;
        this.arrivals = new Arrivals(settings.mostArriving());
        this.messageArrivals = new Arrivals(settings.mostArriving());
        this.directory = directory;
        this.listening = listening;
        this.loops = loops;
        this.ownsLoops = ownsLoops;
    }

    /** Starts to listen and to serve clients, on loops of its own. */
    public static WirePort open(WireSettings settings, Directory directory) throws IOException {
        return open(settings, directory, new LoopLog());
    }

    /** The same, with a listener for stalled loops. */
    public static WirePort open(WireSettings settings, Directory directory, LoopListener listener) throws IOException {
        MemoryAccount memory = new MemoryAccount(
                MemoryAccount.quarterOfHeap(), List.of(new MemoryAccount.Portion(RelayLoops.HOLDER, 0, 1, 0.5, 0.25)));
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
        RelayLoops loops = RelayLoops.open(settings.loops(), listener, memory, supervisor);
        try {
            return open(settings, directory, loops, true, supervisor);
        } catch (IOException e) {
            loops.close();
            throw e;
        }
    }

    /** The same, on loops that others use as well. They outlive the port. */
    public static WirePort open(WireSettings settings, Directory directory, RelayLoops loops, Supervisor supervisor)
            throws IOException {
        return open(settings, directory, loops, false, supervisor);
    }

    private static WirePort open(
            WireSettings settings, Directory directory, RelayLoops loops, boolean ownsLoops, Supervisor supervisor)
            throws IOException {
        ServerSocketChannel listening = ServerSocketChannel.open();
        try {
            listening.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            listening.bind(new InetSocketAddress(settings.address(), settings.port()), BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        WirePort port = new WirePort(settings, directory, listening, loops, ownsLoops, supervisor);
        Thread _ = supervisor.keep("wire-accept", Thread.ofPlatform().daemon(), () -> port.closed, port::accept);
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
        return guests.values().stream().map(WirePort::status).toList();
    }

    private static ClientStatus status(Guest guest) {
        SessionStatus session = guest.relay().session().status();
        return new ClientStatus(
                guest.admission().process(),
                guest.admission().domain(),
                guest.admission().user(),
                guest.admission().address(),
                session.application(),
                session.state(),
                guest.relay().connectionId(),
                guest.since(),
                session.transactions(),
                session.pinnedBy(),
                session.waits(),
                session.waitedNanos(),
                session.errors(),
                guest.line().bytesIn(),
                guest.line().bytesOut(),
                guest.line().transport.isEncrypted());
    }

    /** Ends a client's session at once, by its id, and cancels its running statement. False if there is no such session. */
    public boolean kill(int id) {
        Guest guest = guests.get(id);
        if (guest != null) {
            guest.relay().tell(guest.relay().session()::kill);
        }
        return guest != null;
    }

    /**
     * Ends the sessions of clients that the directory no longer knows, or knows by another password, at once. Called after a
     * deletion. A client that is being authenticated at that moment is not admitted.
     */
    public void endUnknown() {
        List<Relay> unknown = guests.values().stream()
                .filter(guest -> !isKnown(guest.admission()))
                .map(Guest::relay)
                .toList();
        // all of them first, else the end of one would serve another that waits
        unknown.forEach(relay -> relay.tell(() -> relay.session().leaseNoMore(DELETED)));
        unknown.forEach(relay -> relay.tell(() -> relay.session().dismiss(DELETED)));
    }

    private boolean isKnown(Admission admission) {
        return directory
                .client(admission.domain(), admission.user())
                .filter(admission.verifier()::equals)
                .isPresent();
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
            Arrivals.Place place = arrivals.enter(System.nanoTime(), home.loop());
            home.loop().execute(() -> meet(channel, home, place));
        } catch (IOException e) {
            if (!closed) {
                LOG.log(Logger.Level.WARNING, "The wire port could not take a client: " + e.getMessage());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    private void meet(SocketChannel channel, RelayLoop home, Arrivals.Place place) {
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            noticeDeath(channel);
            new Host(
                    home,
                    place,
                    handler -> new ClientSocket(home.loop(), channel, handler),
                    new Manners(settings.tls(), false));
        } catch (IOException gone) {
            place.leave();
            LOG.log(Logger.Level.DEBUG, "A client of the wire port has gone: " + gone.getMessage());
            quietly(channel);
        }
    }

    /**
     * Takes a client whose bytes come and go as messages. It may show its password itself, so the caller answers for it that nobody
     * else can read them.
     *
     * @return empty if the port is closed, or too many such clients have not logged in
     */
    public Optional<MessageClient> take(InetSocketAddress address) {
        RelayLoop home = loops.next();
        Arrivals.Place place;
        synchronized (messageArrivals) {
            long now = System.nanoTime();
            if (closed || messageArrivals.untilRoom(now) > 0) {
                return Optional.empty();
            }
            place = messageArrivals.enter(now, home.loop());
        }
        MessageClient client = new MessageClient(home, address);
        home.loop().execute(() -> {
            try {
                new Host(home, place, client::open, new Manners(Optional.empty(), true));
            } catch (IOException e) {
                throw new IllegalStateException(e); // it opens no socket
            }
        });
        return Optional.of(client);
    }

    /**
     * How a client may arrive.
     *
     * @param tls empty to decline it
     * @param byPassword whether it shows its password itself
     */
    private record Manners(Optional<TlsEngines> tls, boolean byPassword) {}

    /** Makes the system notice within two minutes that a silent client is gone. */
    private static void noticeDeath(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPCOUNT)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 15);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 4);
        }
    }

    /** Serves one client until it is admitted. Belongs to its loop's thread. */
    private final class Host implements Arrival.Reception {

        private final RelayLoop home;
        private final ClientLine client;
        private final Loop.Timer patience;
        private final Arrivals.Place place;
        private final Manners manners;
        private @Nullable ScramVerifier verifier;

        Host(RelayLoop home, Arrivals.Place place, Transport.Opening transport, Manners manners) throws IOException {
            this.home = home;
            this.place = place;
            this.manners = manners;
            this.client = new ClientLine(home, transport, this::gone);
            place.onEnd(this::impatient);
            client.speak(new Arrival(client, this, manners.tls()));
            lines.add(client);
            this.patience =
                    home.loop().at(home.loop().now() + settings.loginTimeout().toNanos(), this::impatient);
            if (closed) {
                client.closeNow();
            }
        }

        private void gone(ClientLine line) {
            lines.remove(line);
            place.leave();
        }

        private void impatient() {
            if (client.conversation() instanceof Arrival) {
                client.closeNow();
            }
        }

        @Override
        public void encrypt(TlsEngines tls) {
            SSLEngine engine = tls.create();
            ((ClientSocket) client.transport)
                    .startTls( // no other client is offered TLS
                            engine,
                            () -> tls.release(engine),
                            () -> client.ready(SelectionKey.OP_READ),
                            task -> supervisor.start(
                                    "wire-tls", Thread.ofVirtual().name("wire-tls"), task::run));
        }

        @Override
        public void check(Login login, String password, Consumer<Boolean> outcome) {
            Thread _ = supervisor.start("wire-password", Thread.ofVirtual().name("wire-password"), () -> {
                boolean right = login.isRight(password);
                home.loop().execute(() -> outcome.accept(right));
            });
        }

        @Override
        public void cancel(int process, int secret, Runnable done) {
            Guest guest = guests.get(process);
            if (guest == null) {
                done.run();
            } else {
                guest.relay().tell(() -> {
                    guest.relay().session().cancel(secret);
                    home.loop().execute(done);
                });
            }
        }

        @Override
        public Login login(Greeting greeting) throws ProtocolException {
            String name = greeting.database();
            if (manners.byPassword() && name.equals(CONSOLE)) {
                throw noDomain(name);
            }
            if (!name.equals(CONSOLE)) {
                String replication = greeting.parameters().getOrDefault("replication", "false");
                if (!NO.contains(replication.toLowerCase(Locale.ROOT))) {
                    throw new ProtocolException(
                            "0A000", "replication is not relayed; connect to the database itself for it");
                }
                domain(name);
                wanted(greeting);
            }
            Optional<ScramVerifier> known = directory.client(name, greeting.user());
            verifier = known.orElse(null);
            return new Login(greeting.user(), known, nobodys, random, manners.byPassword());
        }

        private static Map<String, String> wanted(Greeting greeting) throws ProtocolException {
            try {
                return SettingsText.of(greeting.parameters());
            } catch (IllegalArgumentException e) {
                throw new ProtocolException("22023", e.getMessage());
            }
        }

        private Domain domain(String name) throws ProtocolException {
            return directory.domain(name).orElseThrow(() -> noDomain(name));
        }

        private static ProtocolException noDomain(String name) {
            return new ProtocolException(
                    "3D000", "there is no domain \"" + name + "\"; the database of a connection names the domain");
        }

        @Override
        public void admit(Greeting greeting) throws ProtocolException {
            patience.cancel();
            place.leave();
            if (greeting.database().equals(CONSOLE)) {
                ConsoleTalk talk = new ConsoleTalk(
                        client, new Console(greeting.user(), WirePort.this, directory.operations()), supervisor);
                client.speak(talk);
                talk.welcome();
            } else {
                admitTo(domain(greeting.database()), greeting);
            }
            client.receiveAgain();
        }

        private void admitTo(Domain domain, Greeting greeting) throws ProtocolException {
            AtomicInteger count = clientsOf.computeIfAbsent(greeting.database(), name -> new AtomicInteger());
            if (count.incrementAndGet() > domain.mostClients()) {
                count.decrementAndGet();
                throw new ProtocolException(
                        "53300",
                        greeting.database() + " has " + domain.mostClients() + " clients already, as many as it may");
            }
            ScramVerifier proved = verifier;
            if (proved == null) {
                count.decrementAndGet();
                throw new ProtocolException("28P01", "password authentication failed");
            }
            InetSocketAddress from = client.transport.address();
            Admission admission = new Admission(
                    loops.nextId(),
                    random.nextInt(),
                    greeting.database(),
                    greeting.user(),
                    proved,
                    greeting.application(),
                    from.getAddress().getHostAddress() + ":" + from.getPort());
            Map<String, String> wanted = wanted(greeting);
            Relay relay = home.relay(
                    client,
                    new Peer(Requester.Kind.WIRE, admission.user(), admission.address()),
                    new Session.Client(
                            admission.process(), admission.secret(), admission.application(), admission::holder),
                    rules(domain),
                    wanted,
                    domain.pool(),
                    () -> {
                        guests.remove(admission.process());
                        count.decrementAndGet();
                    });
            client.speak(relay);
            guests.put(admission.process(), new Guest(admission, client, relay, Instant.now()));
            if (closed) {
                throw new ProtocolException("57P01", "Headgate is stopping");
            }
            if (!isKnown(admission)) { // checked after endUnknown() can find it
                throw new ProtocolException("57P01", DELETED);
            }
            welcome(domain.pool(), relay, admission, wanted);
        }

        /** Checks the pool and gets the parameters that the server reports for these settings. Asked once for all application names. */
        private void welcome(Pool pool, Relay relay, Admission admission, Map<String, String> wanted)
                throws ProtocolException {
            String name = admission.application();
            try {
                pool.admit(relay.request(admission.holder(name))).close(); // a session asks again whenever it works
            } catch (LeaseException refused) {
                throw new ProtocolException(refused.getSQLState(), refused.getMessage());
            }
            boolean plain = isPlain(name) // any other the server changes
                    && SettingsText.command(APPLICATION, name).equals(wanted.get(APPLICATION));
            Map<String, String> asked = new HashMap<>(wanted);
            if (plain) {
                asked.remove(APPLICATION);
            }
            Told told = new Told(pool.database().name(), asked);
            Map<String, String> known = reports.get(told);
            if (known != null && plain) {
                known = new HashMap<>(known);
                known.replace(APPLICATION, name);
            }
            relay.session().welcome(known, reported -> {
                if (reports.size() < 1_000) {
                    reports.put(told, reported);
                }
            });
        }
    }

    private static boolean isPlain(String name) {
        return name.length() <= LONGEST_NAME && name.chars().allMatch(each -> each >= ' ' && each <= '~');
    }

    private Rules rules(Domain domain) {
        return new Rules(
                domain.mode() == PoolMode.SESSION,
                domain.mode() == PoolMode.STATEMENT,
                domain.sessionState() == SessionState.REFUSE,
                domain.unnamedStatements() == UnnamedStatements.AUTO,
                settings.alwaysReset(),
                settings.showHolder(),
                settings.idleTimeout(),
                settings.transactionTimeout(),
                SERVER_TIMEOUT,
                Rules.ROOM);
    }

    // ---- the end

    /**
     * Accepts no more clients, tells the idle ones (57P01), and lets transactions end within the given time. Blocks for at most
     * the grace plus {@code LAST_GRACE}, whatever a loop or a client does.
     */
    public void close(Duration grace) {
        closed = true;
        quietly(listening);
        lines.forEach(line -> line.loop.execute(() -> line.conversation().stop()));
        awaitNobody(grace);
        guests.values().forEach(guest -> guest.relay().tell(guest.relay().session()::kill));
        awaitNobody(LAST_GRACE);
        if (!guests.isEmpty()) {
            LOG.log(Logger.Level.WARNING, "The wire port is left with " + guests.size() + " clients");
        }
        if (ownsLoops) {
            loops.close();
        }
    }

    private void awaitNobody(Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!(guests.isEmpty() && lines.isEmpty()) && System.nanoTime() - deadline < 0) {
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
