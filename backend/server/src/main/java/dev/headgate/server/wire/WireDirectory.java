package dev.headgate.server.wire;

import dev.headgate.engine.Engine;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.access.AdminToken;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.domains.StoredByDomain;
import dev.headgate.wire.Directory;
import dev.headgate.wire.Operations;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.UnnamedStatements;
import dev.headgate.wire.WirePort;
import dev.headgate.wire.auth.ScramVerifier;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * The domains and clients that the wire port knows. Held in memory, so that a login needs no query and works while the control store is
 * down.
 */
@Component
final class WireDirectory implements Directory {

    private static final Logger log = LoggerFactory.getLogger(WireDirectory.class);

    private record Served(DomainWireJson wire, Map<String, ScramVerifier> clients) {

        /** With one client as it is stored now; without it if it is not. */
        Served with(String client, Map<String, ScramVerifier> stored) {
            Map<String, ScramVerifier> now = new HashMap<>(clients);
            now.remove(client);
            now.putAll(stored);
            return new Served(wire, now);
        }
    }

    private final Engine engine;
    private final Domains domains;
    private final ClientStore store;
    private final StoredByDomain<Served> served;
    private final Operations operations;
    private final AdminToken token;
    private volatile @Nullable ScramVerifier administrator;

    WireDirectory(Engine engine, Domains domains, ClientStore store, AdminToken token, Access access) {
        this.engine = engine;
        this.domains = domains;
        this.store = store;
        this.token = token;
        this.served = new StoredByDomain<>(this::all, this::one);
        this.operations = new WireOperations(this::listed, this::clients, domains, access);
    }

    @Override
    public Optional<Domain> domain(String name) {
        @Nullable Served found = served.get(name);
        return found == null
                ? Optional.empty()
                : engine.pool(name)
                        .map(pool -> new Domain(
                                pool,
                                PoolMode.valueOf(constant(found.wire().mode())),
                                found.wire().maxClients(),
                                SessionState.valueOf(constant(found.wire().sessionState())),
                                UnnamedStatements.valueOf(constant(found.wire().unnamedStatements()))));
    }

    @Override
    public Optional<ScramVerifier> client(String domain, String user) {
        if (domain.equals(WirePort.CONSOLE)) {
            return user.equals(Actor.ADMIN.name()) ? Optional.ofNullable(administrator) : Optional.empty();
        }
        @Nullable Served found = served.get(domain);
        return found == null
                ? Optional.empty()
                : Optional.ofNullable(found.clients().get(user));
    }

    @Override
    public Operations operations() {
        return operations;
    }

    /** How many clients may log in, of all domains. */
    int clients() {
        return served.parts().mapToInt(each -> each.clients().size()).sum();
    }

    private List<Domain> listed() {
        return served.domains().stream()
                .sorted()
                .flatMap(name -> domain(name).stream())
                .toList();
    }

    /** Reads everything from the store. Called once, before the port is open. */
    void load() {
        administrator = ScramVerifier.of(token.value(), new SecureRandom());
        served.read();
    }

    /** Reads a domain and its clients again after a stored change. If that fails, the next change brings it. */
    void follow(String domain) {
        following(() -> served.follow(domain));
    }

    /** Reads one client of a domain again. Else each of thousands would cost a read of all. */
    void follow(String domain, String client) {
        following(() -> served.follow(domain, before -> before.with(client, verifiers(store.proofs(domain, client)))));
    }

    private static void following(Runnable reading) {
        try {
            reading.run();
        } catch (DataAccessException e) {
            log.error("The wire port goes on with the domains and clients it knew: {}", e.getMessage());
        }
    }

    private Map<String, Served> all() {
        Map<String, List<ClientStore.Proof>> proofs =
                store.proofs().stream().collect(Collectors.groupingBy(ClientStore.Proof::domain));
        Map<String, Served> read = new HashMap<>();
        domains.wire()
                .forEach((name, wire) ->
                        read.put(name, new Served(wire, verifiers(proofs.getOrDefault(name, List.of())))));
        return read;
    }

    private Optional<Served> one(String domain) {
        return domains.wire(domain).map(wire -> new Served(wire, verifiers(store.proofs(domain))));
    }

    /** By the clients' names. */
    private static Map<String, ScramVerifier> verifiers(List<ClientStore.Proof> proofs) {
        Map<String, ScramVerifier> verifiers = new HashMap<>();
        for (ClientStore.Proof proof : proofs) {
            try {
                verifiers.put(proof.name(), ScramVerifier.parse(proof.verifier()));
            } catch (IllegalArgumentException e) {
                log.error("The client {} cannot log in: its verifier in the control store is damaged", proof);
            }
        }
        return verifiers;
    }

    private static String constant(String word) {
        return word.toUpperCase(Locale.ROOT);
    }
}
