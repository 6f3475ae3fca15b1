package dev.headgate.server.wire;

import dev.headgate.server.access.Access;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.wire.ArrivalStatus;
import dev.headgate.wire.ClientStatus;
import dev.headgate.wire.LoopStatus;
import dev.headgate.wire.auth.ScramVerifier;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** The clients of domains on the wire port, and which are connected. Passwords are not stored, only their verifiers. */
@Service
public class WireClients {

    private static final int PASSWORD_BYTES = 24;

    private final ClientStore store;
    private final WireServer server;
    private final Domains domains;
    private final Audit audit;
    private final Access access;
    private final Counts counts;
    private final TransactionTemplate transactions;
    private final SecureRandom random = new SecureRandom();

    WireClients(
            ClientStore store,
            WireServer server,
            Domains domains,
            Audit audit,
            Access access,
            Counts counts,
            TransactionTemplate transactions) {
        this.store = store;
        this.server = server;
        this.domains = domains;
        this.audit = audit;
        this.access = access;
        this.counts = counts;
        this.transactions = transactions;
    }

    /** The part of a client that the audit records. */
    private record Shown(String name) {}

    /** A new client with its password, which is not stored. */
    record Made(ClientStore.Row client, String password) {}

    /** All clients that are connected to the wire port. */
    public List<ClientStatus> connected() {
        return server.connected();
    }

    /** The clients of a domain that are connected. @throws ProblemException not-found */
    List<ClientStatus> connected(String domain) {
        return connectedIds(domain).stream()
                .flatMap(id -> connected(id).stream())
                .toList();
    }

    /** Their ids. @throws ProblemException not-found */
    Set<Integer> connectedIds(String domain) {
        known(domain);
        return server.usersOf(domain).keySet();
    }

    /** One that is connected; empty if it is gone. */
    Optional<ClientStatus> connected(int id) {
        return server.connected(id);
    }

    /** The state of each loop of the wire port; empty if the port is closed. */
    public List<LoopStatus> loops() {
        return server.loops();
    }

    /** Clients of the wire port that have not logged in. */
    public ArrivalStatus arrivals() {
        return server.arrivals();
    }

    /** The address of the wire port. */
    WireServer.Endpoint endpoint() {
        return server.endpoint();
    }

    /** A page of a domain's clients, by name. @throws ProblemException not-found */
    Page<ClientJson> page(String domain, Paging<String> paging) {
        known(domain);
        Map<String, Long> connected = server.usersOf(domain).values().stream()
                .collect(Collectors.groupingBy(user -> user, Collectors.counting()));
        return paging.page(store.of(domain, paging.after(), paging.fetch()), ClientStore.Row::name)
                .map(row -> new ClientJson(
                        row.name(),
                        row.createdAt(),
                        row.createdBy(),
                        connected.getOrDefault(row.name(), 0L).intValue()));
    }

    /** @throws ProblemException not-found; conflict if the domain has a client of that name, or there are too many */
    Made create(String domain, ClientCreateRequest request) {
        known(domain);
        return counts.make(Counts.Kind.CLIENTS, () -> added(domain, request));
    }

    private Made added(String domain, ClientCreateRequest request) {
        String password = Optional.ofNullable(request.password()).orElseGet(this::freshPassword);
        String verifier = ScramVerifier.of(password, random).text();
        ClientStore.Row row;
        try {
            row = Objects.requireNonNull(transactions.execute(transaction -> {
                audit.record("clients.create", path(domain, request.name()), null, new Shown(request.name()));
                return store.add(
                        domain, request.name(), verifier, access.actor().name());
            }));
        } catch (DuplicateKeyException e) {
            throw ProblemException.of(
                    ProblemType.CONFLICT, "The domain '" + domain + "' already has a client '" + request.name() + "'.");
        } catch (DataIntegrityViolationException e) {
            throw ProblemException.notFound("domain", domain);
        }
        server.follow(domain, row.name());
        return new Made(row, password);
    }

    /** Deletes a client and ends its sessions. @throws ProblemException not-found */
    void remove(String domain, String name) {
        known(domain);
        transactions.executeWithoutResult(transaction -> {
            ClientStore.Row before =
                    store.remove(domain, name).orElseThrow(() -> ProblemException.notFound("client", name));
            audit.record("clients.delete", path(domain, name), new Shown(before.name()), null);
        });
        server.follow(domain, name);
    }

    private void known(String domain) {
        if (!domains.exists(domain)) {
            throw ProblemException.notFound("domain", domain);
        }
    }

    private String freshPassword() {
        byte[] bytes = new byte[PASSWORD_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String path(String domain, String client) {
        return "domains/" + domain + "/clients/" + client;
    }
}
