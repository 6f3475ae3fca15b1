package dev.headgate.wire;

import dev.headgate.protocol.ProtocolException;
import dev.headgate.wire.session.SessionStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The connected clients of a port: those that are admitted to a domain, and the others. Safe for any number of threads. */
final class Clients {

    private static final int MOST_CONSOLES = 100;

    /** An admitted client. */
    private record Admitted(Admission admission, ClientLine line, Relay relay, Instant since) {}

    /** The clients of a domain, and how many places they have: a client gets its place before it is admitted. */
    private record OfDomain(AtomicInteger places, Map<Integer, Admitted> admitted) {
        OfDomain() {
            this(new AtomicInteger(), new ConcurrentHashMap<>());
        }
    }

    private final Directory directory;
    private final int most;
    private final Set<ClientLine> lines = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Admitted> admitted = new ConcurrentHashMap<>();
    private final Map<String, OfDomain> domains = new ConcurrentHashMap<>();
    private final AtomicInteger places = new AtomicInteger();
    private final AtomicInteger consoles = new AtomicInteger();
    private volatile boolean closed;

    /** @param most clients of all domains together */
    Clients(Directory directory, int most) {
        this.directory = directory;
        this.most = most;
    }

    // ---- connected clients

    /** A client has connected. If none is taken any more, it is closed. */
    void add(ClientLine line) {
        lines.add(line);
        if (closed) {
            line.closeNow();
        }
    }

    void remove(ClientLine line) {
        lines.remove(line);
    }

    boolean isEmpty() {
        return admitted.isEmpty() && lines.isEmpty();
    }

    // ---- admitted clients

    /**
     * Takes one of the port's places and one of a domain's for a client.
     *
     * @param mostOfDomain clients of the domain
     * @return gives the places back
     * @throws ProtocolException if all are taken
     */
    Runnable enter(String domain, int mostOfDomain) throws ProtocolException {
        AtomicInteger ofDomain =
                domains.computeIfAbsent(domain, _ -> new OfDomain()).places();
        take(ofDomain, mostOfDomain, domain + " has " + mostOfDomain + " clients already, as many as it may");
        try {
            take(
                    places,
                    most,
                    "all domains together have " + most
                            + " clients already, as many as they may (headgate.limits.wire-clients)");
        } catch (ProtocolException e) {
            ofDomain.decrementAndGet();
            throw e;
        }
        return () -> {
            ofDomain.decrementAndGet();
            places.decrementAndGet();
        };
    }

    /**
     * Takes one of the console's places, which are no domain's and not the port's: an operator gets in also where no client does.
     *
     * @return gives the place back
     * @throws ProtocolException if all are taken
     */
    Runnable enterConsole() throws ProtocolException {
        take(consoles, MOST_CONSOLES, "the console has " + MOST_CONSOLES + " clients already, as many as it may");
        return consoles::decrementAndGet;
    }

    private static void take(AtomicInteger taken, int most, String refusal) throws ProtocolException {
        if (taken.incrementAndGet() > most) {
            taken.decrementAndGet();
            throw new ProtocolException("53300", refusal);
        }
    }

    /**
     * A client is served from now on, until {@link #leave}.
     *
     * @throws ProtocolException if the port is closed, or the client was deleted meanwhile
     */
    void admit(Admission admission, ClientLine line, Relay relay) throws ProtocolException {
        Admitted client = new Admitted(admission, line, relay, Instant.now());
        admitted.put(admission.process(), client);
        entered(admission.domain()).admitted().put(admission.process(), client);
        if (closed) {
            throw new ProtocolException("57P01", "Headgate is stopping");
        }
        if (!isKnown(admission)) { // checked after endUnknown() can find it
            throw new ProtocolException("57P01", whyUnknown(admission));
        }
    }

    void leave(Admission admission) {
        admitted.remove(admission.process());
        entered(admission.domain()).admitted().remove(admission.process());
    }

    /** A domain whose clients have taken places. */
    private OfDomain entered(String domain) {
        return Objects.requireNonNull(domains.get(domain));
    }

    private boolean isKnown(Admission admission) {
        return directory
                .client(admission.domain(), admission.user())
                .filter(admission.verifier()::equals)
                .isPresent();
    }

    /** Why a client is not known any more. */
    private String whyUnknown(Admission admission) {
        return directory.domain(admission.domain()).isPresent()
                ? "this client was deleted"
                : "the domain " + admission.domain() + " was removed";
    }

    /** The relay of an admitted client; null if there is no such client. */
    @Nullable
    Relay relay(int process) {
        Admitted client = admitted.get(process);
        return client == null ? null : client.relay();
    }

    /** All admitted clients, in no order. */
    List<ClientStatus> status() {
        return admitted.values().stream().map(Clients::status).toList();
    }

    /** One admitted client; empty if there is no such client. */
    Optional<ClientStatus> status(int process) {
        return Optional.ofNullable(admitted.get(process)).map(Clients::status);
    }

    /** The users of the admitted clients of a domain, by their processes. Costs what it returns. */
    Map<Integer, String> users(String domain) {
        OfDomain its = domains.get(domain);
        return its == null
                ? Map.of()
                : its.admitted().values().stream()
                        .map(Admitted::admission)
                        .collect(Collectors.toMap(Admission::process, Admission::user));
    }

    int size() {
        return admitted.size();
    }

    private static ClientStatus status(Admitted client) {
        SessionStatus session = client.relay().session().status();
        return new ClientStatus(
                client.admission().process(),
                client.admission().domain(),
                client.admission().user(),
                client.admission().address(),
                session.application(),
                session.state(),
                client.relay().connectionId(),
                client.since(),
                session.transactions(),
                session.pinnedBy(),
                session.waitingNanos(System.nanoTime()),
                session.waits(),
                session.waitedNanos(),
                session.errors(),
                session.statements(),
                client.line().bytesIn(),
                client.line().bytesOut(),
                client.line().transport.isEncrypted());
    }

    // ---- the end

    /** Ends the sessions of clients that the directory no longer knows, or knows by another password. */
    void endUnknown() {
        Map<Relay, String> unknown = admitted.values().stream()
                .filter(client -> !isKnown(client.admission()))
                .collect(Collectors.toMap(Admitted::relay, client -> whyUnknown(client.admission())));
        // all of them first, else the end of one would serve another that waits
        unknown.forEach((relay, why) -> relay.tell(() -> relay.session().leaseNoMore(why)));
        unknown.forEach((relay, why) -> relay.tell(() -> relay.session().dismiss(why)));
    }

    /** Admits no client from now on. */
    void close() {
        closed = true;
    }

    boolean isClosed() {
        return closed;
    }

    /** Tells every client, admitted or not, that the port is closing. */
    void stop() {
        lines.forEach(line -> line.loop.execute(line, () -> line.conversation().stop()));
    }

    /** Ends all sessions at once, and cancels their running statements. */
    void killAll() {
        admitted.values().stream().map(Admitted::relay).forEach(Clients::kill);
    }

    /** Ends a session at once, and cancels its running statement. */
    static void kill(Relay relay) {
        relay.tell(relay.session()::kill);
    }
}
