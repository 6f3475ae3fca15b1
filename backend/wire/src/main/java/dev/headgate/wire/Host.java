package dev.headgate.wire;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import dev.headgate.wire.Directory.Domain;
import dev.headgate.wire.auth.PasswordChecks;
import dev.headgate.wire.auth.ScramVerifier;
import dev.headgate.wire.auth.ServerEndPoint;
import dev.headgate.wire.loop.ClientSocket;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Serves one client of the port until it is admitted to a domain or to the console. Belongs to its loop's thread. */
final class Host implements Arrival.Reception {

    /** How long a server may take for Headgate's own commands. */
    private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(10);

    /** How much later a login of a slowed address goes on: before it is asked for its password, so that a wrong one tells nothing sooner. */
    static final Duration SLOWED = Duration.ofSeconds(2);

    private static final Set<String> NO = Set.of("false", "off", "no", "0");

    /**
     * What all clients of a port share.
     *
     * @param logins is told of failed logins
     * @param checks of passwords that clients show themselves
     * @param nobodys the verifier of a user that is not known
     * @param consoles makes a user's console
     */
    record Premises(
            WireSettings settings,
            Directory directory,
            RelayLoops loops,
            Clients clients,
            LoginListener logins,
            PasswordChecks checks,
            SecureRandom random,
            ScramVerifier nobodys,
            Function<String, Console> consoles,
            Supervisor supervisor) {}

    /**
     * How a client may arrive.
     *
     * @param tls empty to decline it
     * @param byPassword whether it shows its password itself
     */
    record Manners(Optional<TlsEngines> tls, boolean byPassword) {}

    private final Premises premises;
    private final RelayLoop home;
    private final Arrivals.Place place;
    private final Manners manners;
    private final ClientLine client;
    private final Loop.Timer patience;

    /** Until a client of an address that is slowed down is answered. */
    private Loop.@Nullable Timer lateness;

    private @Nullable ScramVerifier verifier;

    /** Gives back what a client of the console has. */
    private Runnable leaveConsole = () -> {};

    Host(Premises premises, RelayLoop home, Arrivals.Place place, Transport.Opening transport, Manners manners)
            throws IOException {
        this.premises = premises;
        this.home = home;
        this.place = place;
        this.manners = manners;
        this.client = new ClientLine(home, transport, this::gone);
        place.onEnd(this::impatient);
        client.speak(new Arrival(client, this, manners.tls()));
        Loop loop = home.loop();
        long patienceNanos = premises.settings().loginTimeout().toNanos();
        this.patience = loop.at(client, loop.now() + patienceNanos, this::impatient);
        premises.clients().add(client);
    }

    private void gone(ClientLine line) {
        patience.cancel();
        if (lateness != null) {
            lateness.cancel();
        }
        premises.clients().remove(line);
        place.leave();
        leaveConsole.run();
    }

    private void impatient() {
        if (client.conversation() instanceof Arrival) {
            client.closeNow();
        }
    }

    @Override
    public void encrypt(TlsEngines tls, byte[] hello) {
        SSLEngine engine = tls.create();
        ((ClientSocket) client.transport)
                .startTls( // no other client is offered TLS
                        engine,
                        hello,
                        () -> tls.release(engine),
                        () -> home.loop().execute(client, () -> client.ready(SelectionKey.OP_READ)),
                        task -> premises.supervisor()
                                .start("wire-tls", Thread.ofVirtual().name("wire-tls"), task::run));
    }

    @Override
    public void check(Login login, String password, Consumer<Optional<ProtocolException>> outcome) {
        Thread _ = premises.supervisor()
                .start("wire-password", Thread.ofVirtual().name("wire-password"), () -> {
                    Optional<ProtocolException> refusal = refusal(login, password);
                    home.loop().execute(client, () -> outcome.accept(refusal));
                });
    }

    private Optional<ProtocolException> refusal(Login login, String password) {
        try {
            return premises.checks().passes(() -> login.isRight(password))
                    ? Optional.empty()
                    : Optional.of(login.wrong());
        } catch (PasswordChecks.Busy busy) {
            return Optional.of(new ProtocolException("53300", busy.getMessage()));
        }
    }

    @Override
    public void inTime(Runnable goesOn) {
        if (!premises.logins().isSlowed(address())) {
            goesOn.run();
            return;
        }
        long late =
                Math.min(SLOWED.toNanos(), premises.settings().loginTimeout().toNanos() / 2);
        lateness = home.loop().at(client, home.loop().now() + late, () -> {
            goesOn.run();
            client.receiveAgain();
            client.settle();
        });
    }

    private InetAddress address() {
        return client.transport.address().getAddress();
    }

    @Override
    public void cancel(int process, int secret, Runnable done) {
        Relay relay = premises.clients().relay(process);
        if (relay == null) {
            done.run();
        } else {
            relay.tell(() -> {
                relay.session().cancel(secret);
                home.loop().execute(client, done);
            });
        }
    }

    // ---- login

    @Override
    public Login login(Greeting greeting) throws ProtocolException {
        String name = greeting.database();
        if (manners.byPassword() && name.equals(WirePort.CONSOLE)) {
            throw noDomain(name);
        }
        if (!name.equals(WirePort.CONSOLE)) {
            String replication = greeting.parameters().getOrDefault("replication", "false");
            if (!NO.contains(replication.toLowerCase(Locale.ROOT))) {
                throw new ProtocolException(
                        "0A000", "replication is not relayed; connect to the database itself for it");
            }
            domain(name);
            wanted(greeting);
        }
        Optional<ScramVerifier> known = premises.directory().client(name, greeting.user());
        verifier = known.orElse(null);
        return new Login(
                greeting.user(),
                known,
                premises.nobodys(),
                premises.random(),
                client.transport.certificate().map(ServerEndPoint::of).orElse(ServerEndPoint.NONE),
                manners.byPassword(),
                () -> premises.logins().failed(address(), name, greeting.user()));
    }

    private static Map<String, String> wanted(Greeting greeting) throws ProtocolException {
        try {
            return SettingsText.of(greeting.parameters());
        } catch (IllegalArgumentException e) {
            throw new ProtocolException("22023", e.getMessage());
        }
    }

    private Domain domain(String name) throws ProtocolException {
        return premises.directory().domain(name).orElseThrow(() -> noDomain(name));
    }

    private static ProtocolException noDomain(String name) {
        return new ProtocolException(
                "3D000", "there is no domain \"" + name + "\"; the database of a connection names the domain");
    }

    // ---- admission

    @Override
    public void admit(Greeting greeting) throws ProtocolException {
        patience.cancel();
        place.leave();
        if (greeting.database().equals(WirePort.CONSOLE)) {
            admitToConsole(greeting.user());
        } else {
            admitTo(domain(greeting.database()), greeting);
        }
        client.receiveAgain();
    }

    private void admitToConsole(String user) throws ProtocolException {
        Runnable leave = premises.clients().enterConsole();
        MemoryAccount.Share memory = home.memory(WirePort.CONSOLE);
        leaveConsole = () -> {
            memory.close();
            leave.run();
        };
        ConsoleTalk talk = new ConsoleTalk(client, premises.consoles().apply(user), memory, premises.supervisor());
        client.speak(talk);
        talk.welcome();
    }

    private void admitTo(Domain domain, Greeting greeting) throws ProtocolException {
        ScramVerifier proved = verifier;
        if (proved == null) {
            throw new ProtocolException("28P01", "password authentication failed");
        }
        Clients clients = premises.clients();
        Runnable leave = clients.enter(greeting.database(), domain.mostClients());
        InetSocketAddress from = client.transport.address();
        Admission admission = new Admission(
                premises.loops().nextId(),
                premises.random().nextInt(),
                greeting.database(),
                greeting.user(),
                proved,
                greeting.application(),
                from.getAddress().getHostAddress() + ":" + from.getPort());
        Map<String, String> wanted = wanted(greeting);
        Relay relay = home.relay(
                client,
                Peer.wire(admission.user(), admission.address()),
                new Session.Client(admission.process(), admission.secret(), admission.application(), admission::holder),
                rules(domain),
                wanted,
                domain.pool(),
                () -> {
                    clients.leave(admission);
                    leave.run();
                });
        client.speak(relay);
        clients.admit(admission, client, relay);
        welcome(domain.pool(), relay, admission, wanted);
    }

    private Rules rules(Domain domain) {
        WireSettings settings = premises.settings();
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
                Rules.ROOM,
                Rules.OWED,
                settings.mostStatements());
    }

    /** Checks the pool and gets the parameters that the server reports for these settings. */
    private void welcome(Pool pool, Relay relay, Admission admission, Map<String, String> wanted)
            throws ProtocolException {
        String application = admission.application();
        try {
            pool.admit(relay.request(admission.holder(application))).close(); // a session asks again whenever it works
        } catch (LeaseException refused) {
            throw new ProtocolException(refused.getSQLState(), refused.getMessage());
        }
        Target target = pool.database().target();
        ReportedParameters reports = home.reports();
        relay.session()
                .welcome(
                        reports.find(target, wanted, application),
                        reported -> reports.keep(pool.database().target(), wanted, application, reported));
    }
}
