package dev.headgate.server.wire;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import dev.headgate.wire.ArrivalStatus;
import dev.headgate.wire.ClientStatus;
import dev.headgate.wire.LoopStatus;
import dev.headgate.wire.MessageClient;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.WirePort;
import dev.headgate.wire.WireSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Opens the wire port when the pools are open, and closes it before they close. */
@Component
final class WireServer implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(WireServer.class);

    /** After the engine is restored (0) and the demo is set up (100), before the web server. */
    private static final int PHASE = 200;

    /** Leaves time for the steps after it within the time that the whole service has to stop. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final HeadgateProperties.Wire wire;
    private final WireDirectory directory;
    private final DataFolder folder;
    private final RelayLoops loops;
    private final WireLogins logins;
    private final int mostClients;
    private final Supervisor supervisor;
    private volatile @Nullable WirePort port;
    private volatile boolean running;

    WireServer(
            HeadgateProperties properties,
            WireDirectory directory,
            DataFolder folder,
            RelayLoops loops,
            WireLogins logins,
            Counts counts,
            Supervisor supervisor) {
        this.mostClients = counts.most(Counts.Kind.WIRE_CLIENTS);
        counts.count(Counts.Kind.WIRE_CLIENTS, this::clientCount);
        counts.count(Counts.Kind.CLIENTS, directory::clients);
        this.loops = loops;
        this.logins = logins;
        this.supervisor = supervisor;
        this.wire = properties.wire();
        this.directory = directory;
        this.folder = folder;
    }

    /** @throws CannotStart if it cannot listen, or the certificate for TLS is not good */
    @Override
    public void start() {
        directory.load();
        if (wire.enabled()) {
            open(settings());
        }
        running = true;
    }

    @Override
    public void stop() {
        WirePort open = port;
        if (open != null) {
            open.close(GRACE);
        }
        port = null;
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** The address it listens on, or would listen on if it is not open. */
    Endpoint endpoint() {
        WirePort open = port;
        return new Endpoint(
                open != null, wire.address(), open == null ? wire.port() : open.port(), WireTls.isSpoken(wire));
    }

    /**
     * @param address the setting: a name, an address, or the one for all addresses
     * @param tls whether it offers TLS
     */
    record Endpoint(boolean listening, String address, int port, boolean tls) {}

    /** Takes a client whose bytes come and go as messages. Empty if the port is closed or has no room. */
    Optional<MessageClient> take(InetSocketAddress address) {
        WirePort open = port;
        return open == null ? Optional.empty() : open.take(address);
    }

    /** All connected clients. */
    List<ClientStatus> connected() {
        WirePort open = port;
        return open == null ? List.of() : open.clients();
    }

    /** One connected client by its id; empty if there is no such client. */
    Optional<ClientStatus> connected(int id) {
        WirePort open = port;
        return open == null ? Optional.empty() : open.client(id);
    }

    /** The ids of a domain's connected clients, each with its user. */
    Map<Integer, String> usersOf(String domain) {
        WirePort open = port;
        return open == null ? Map.of() : open.usersOf(domain);
    }

    private int clientCount() {
        WirePort open = port;
        return open == null ? 0 : open.clientCount();
    }

    /** The state of each loop. */
    List<LoopStatus> loops() {
        return loops.status();
    }

    /** Its clients that have not logged in. */
    ArrivalStatus arrivals() {
        WirePort open = port;
        return open == null ? new ArrivalStatus(0, 0, 0) : open.arrivals();
    }

    /** Follows a stored change of a client, and ends the sessions of a deleted one. Does not wait for the cancels. */
    void follow(String domain, String client) {
        directory.follow(domain, client);
        endUnknown();
    }

    private void endUnknown() {
        WirePort open = port;
        if (open != null) {
            open.endUnknown();
        }
    }

    /** Follows a stored change of a domain, and ends the sessions at a deleted one. Does not wait for the cancels. */
    @EventListener
    void follow(DomainsChanged change) {
        directory.follow(change.domain());
        endUnknown();
    }

    private void open(WireSettings settings) {
        try {
            WirePort open = WirePort.open(settings, directory, loops, logins, supervisor);
            port = open;
            log.info("The wire port listens on {}:{}", wire.address(), open.port());
        } catch (IOException e) {
            throw new CannotStart(
                    "wire port " + wire.port() + " on " + wire.address() + " cannot be opened (" + e.getMessage()
                            + "); stop the program that uses it, or choose another with --wire-port.",
                    e);
        }
    }

    private static int atLeastOne(String setting, int value) {
        if (value < 1) {
            throw new CannotStart(
                    "headgate.wire." + setting + " must be at least 1, was " + value + ".", CannotStart.EXIT_FAILED);
        }
        return value;
    }

    private WireSettings settings() {
        try {
            return new WireSettings(
                    InetAddress.getByName(wire.address()),
                    wire.port(),
                    WireTls.of(wire, folder.path()),
                    wire.loginTimeout(),
                    wire.idleTimeout(),
                    wire.transactionTimeout(),
                    wire.alwaysReset(),
                    wire.showHolder(),
                    loops.status().size(),
                    atLeastOne("most-arriving", wire.mostArriving()),
                    atLeastOne("connections-per-address", wire.connectionsPerAddress()),
                    mostClients,
                    atLeastOne("statements", wire.statements()));
        } catch (UnknownHostException e) {
            throw new CannotStart("the address " + wire.address() + " of the wire port is not known.", e);
        }
    }
}
