package dev.headgate.server.databases;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.ConnectFault;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.api.RowVersion;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The databases. A change is stored only after a connection with it has succeeded. The engine follows the store, in the last step of
 * the transaction.
 */
@Service
public class Databases {

    private static final Logger log = LoggerFactory.getLogger(Databases.class);

    /** The timeout of a probe for its connect, and for each answer. */
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(5);

    private static final String CREATE = "databases.create";
    private static final String CHANGE = "databases.change";
    private static final String DELETE = "databases.delete";

    /** The audit's actions that change what databases there are, or their settings. */
    private static final List<String> CHANGES = List.of(CREATE, CHANGE, DELETE);

    private final TargetStore store;
    private final Policies policies;
    private final Engine engine;
    private final Counts counts;
    private final Audit audit;
    private final TransactionTemplate transactions;

    /**
     * Held from the transaction that changes a target until the engine has it, so that the engine gets targets in their order, and
     * while a target is read with its version.
     */
    private final Lock changing = new ReentrantLock();

    private final ApplicationEventPublisher events;

    Databases(
            TargetStore store,
            Policies policies,
            Engine engine,
            Counts counts,
            Audit audit,
            TransactionTemplate transactions,
            ApplicationEventPublisher events) {
        this.counts = counts;
        this.store = store;
        this.policies = policies;
        this.engine = engine;
        this.audit = audit;
        this.transactions = transactions;
        this.events = events;
    }

    /**
     * A stored database.
     *
     * @param version of its settings
     * @param warning about settings that are allowed but probably not intended
     */
    public record Kept(DatabaseJson database, RowVersion version, Optional<String> warning) {}

    /** The part of a database that the audit records: everything except the password. */
    private record Shown(String name, String host, int port, String database, String user, String sslMode, int budget) {
        static Shown of(Target target) {
            return new Shown(
                    target.name(),
                    target.host(),
                    target.port(),
                    target.database(),
                    target.user(),
                    target.sslMode().label(),
                    target.budget());
        }
    }

    /** What a database shared with others at an instant: its server, and its budget. */
    public record Former(String name, String host, int port, int budget) {

        /** What a database shares now. */
        public static Former of(Target target) {
            return new Former(target.name(), target.host(), target.port(), target.budget());
        }

        /** Whether the other one is another database on the same server. */
        public boolean isBeside(Former other) {
            return !other.name.equals(name) && other.host.equals(host) && other.port == port;
        }
    }

    /**
     * The databases of an instant, as they were then, by name. Blocks on the control store.
     *
     * @return empty if the audit does not reach back so far
     */
    public Optional<Map<String, Former>> at(Instant at) {
        Map<String, Former> today = engine.databases().stream()
                .collect(Collectors.toMap(database -> path(database.name()), database -> Former.of(database.target())));
        return audit.asOf(at, today, CHANGES, Former.class)
                .map(then -> then.values().stream().collect(Collectors.toMap(Former::name, Function.identity())));
    }

    /** All databases, by name. */
    public List<DatabaseJson> list() {
        return engine.databases().stream()
                .sorted(Comparator.comparing(Database::name))
                .map(DatabaseJson::of)
                .toList();
    }

    /**
     * A page of databases, by name.
     *
     * @param q part of the name; null for all
     */
    Page<DatabaseJson> page(@Nullable String q, Paging<String> paging) {
        List<Database> matching = engine.databases().stream()
                .filter(database -> q == null || database.name().contains(q.toLowerCase(Locale.ROOT)))
                .toList();
        return paging.pick(matching, Database::name, Comparator.<String>naturalOrder())
                .map(DatabaseJson::of);
    }

    /** @throws ProblemException not-found */
    public DatabaseJson get(String name) {
        return DatabaseJson.of(open(name));
    }

    /** The same with its version. */
    Kept read(String name) {
        return kept(name, Optional.empty());
    }

    private Kept kept(String name, Optional<String> warning) {
        changing.lock(); // the engine has the settings of this version
        try {
            DatabaseJson database = get(name);
            RowVersion version = store.version(name).orElseThrow(() -> ProblemException.notFound("database", name));
            return new Kept(database, version, warning);
        } finally {
            changing.unlock();
        }
    }

    public boolean exists(String name) {
        return engine.database(name).isPresent();
    }

    /**
     * Connects to a database and stores it.
     *
     * @throws ProblemException conflict if the name is taken or there are as many databases as there may be, database-unreachable with
     *     the cause
     */
    public Kept create(DatabaseCreateRequest request) {
        return counts.make(Counts.Kind.DATABASES, () -> added(request));
    }

    private Kept added(DatabaseCreateRequest request) {
        if (exists(request.name())) {
            throw nameTaken(request.name());
        }
        Target target = target(request);
        ServerFacts facts = probe(target);
        try {
            policies.found(
                    Scope.database(target.name()),
                    target.name(),
                    target::budget,
                    null,
                    () -> store.add(target),
                    set -> {
                        audit.record(CREATE, path(target.name()), null, Shown.of(target));
                        engine.open(target);
                    });
        } catch (DuplicateKeyException e) {
            throw nameTaken(request.name());
        } catch (RuntimeException e) {
            engine.database(target.name()).ifPresent(half -> engine.close(half.name()));
            throw e;
        }
        events.publishEvent(new DatabasesChanged(Instant.now(), target.name()));
        return kept(target.name(), warning(target, facts));
    }

    /**
     * Connects to a database with the settings of a request. Stores nothing.
     *
     * @return the warning that {@link #create} would give
     * @throws ProblemException database-unreachable with the cause
     */
    public Optional<String> tryOut(DatabaseCreateRequest request) {
        Target target = target(request);
        return warning(target, probe(target));
    }

    /**
     * Connects to a database with the settings after a change, unless the change keeps address and user. Stores nothing.
     *
     * @return the warning that {@link #change} would give
     * @throws ProblemException not-found, database-unreachable with the cause
     */
    public Optional<String> tryOut(String name, DatabasePatchRequest patch) {
        Target kept = store.find(name).orElseThrow(() -> ProblemException.notFound("database", name));
        Target wanted = patched(kept, patch);
        return facts(kept, wanted, patch).flatMap(facts -> warning(wanted, facts));
    }

    /** Of the server after a change: as it is known, or as it says now if it is another one. */
    private Optional<ServerFacts> facts(Target kept, Target wanted, DatabasePatchRequest patch) {
        checkPasswordGiven(kept, wanted, patch);
        return sameServer(kept, wanted)
                ? engine.database(kept.name()).flatMap(known -> known.status().facts())
                : Optional.of(probe(wanted));
    }

    /** Whether a stored database has this password; false if there is no such database. */
    public boolean hasPassword(String name, String password) {
        return store.find(name)
                .map(target -> MessageDigest.isEqual(
                        target.password().getBytes(StandardCharsets.UTF_8), password.getBytes(StandardCharsets.UTF_8)))
                .orElse(false);
    }

    /** Whether a stored database has a password. */
    public boolean hasPassword(String name) {
        return store.find(name).map(target -> !target.password().isEmpty()).orElse(false);
    }

    /**
     * Changes a database. A new address, user or password is tried first; a new budget alone is not.
     *
     * @throws ProblemException not-found, database-unreachable, or invalid-request if the budget would not cover what
     *     its domains are guaranteed, or if the stored password would be sent to another server
     */
    public Kept change(String name, DatabasePatchRequest patch) {
        return change(name, patch, null);
    }

    /**
     * Where everything is as it is wanted, the version stays the same.
     *
     * @param ifMatch the version that the change is based on, as an entity tag; null for any
     */
    Kept change(String name, DatabasePatchRequest patch, @Nullable String ifMatch) {
        Target seen = store.find(name).orElseThrow(() -> ProblemException.notFound("database", name));
        Target wanted = patched(seen, patch);
        Optional<ServerFacts> facts = facts(seen, wanted, patch);
        changing.lock();
        try {
            replace(name, seen, wanted, ifMatch);
            engine.database(name).ifPresent(known -> known.retarget(wanted));
        } finally {
            changing.unlock();
        }
        events.publishEvent(new DatabasesChanged(Instant.now(), name));
        return kept(name, facts.flatMap(each -> warning(wanted, each)));
    }

    private void replace(String name, Target seen, Target wanted, @Nullable String ifMatch) {
        transactions.executeWithoutResult(transaction -> {
            int guaranteed = policies.guaranteedOn(name);
            Target before = store.lock(name).orElseThrow(() -> ProblemException.notFound("database", name));
            store.version(name).orElseThrow().require(ifMatch, "database '" + name + "'");
            if (!before.equals(seen)) {
                throw ProblemException.of(
                        ProblemType.CONFLICT, "Someone else has just changed database '" + name + "'. Try again.");
            }
            if (wanted.budget() < guaranteed) {
                throw ProblemException.of(
                        ProblemType.INVALID_REQUEST,
                        List.of(Fault.at(
                                "/budget",
                                "must cover the " + guaranteed + " connections guaranteed to the domains of " + name
                                        + ", was " + wanted.budget(),
                                guaranteed + ".." + DatabaseCreateRequest.MOST)));
            }
            if (!wanted.equals(before)) {
                store.replace(wanted);
                audit.record(CHANGE, path(name), Shown.of(before), Shown.of(wanted));
            }
        });
    }

    /**
     * @param ifMatch the version that is to be deleted, as an entity tag; null for any
     * @throws ProblemException not-found, stale-revision, or conflict as long as domains are on it
     */
    void remove(String name, @Nullable String ifMatch) {
        remove(name, () -> store.version(name).orElseThrow().require(ifMatch, "database '" + name + "'"));
    }

    /** @param check is called in the transaction that deletes it; what it throws keeps the database */
    public void remove(String name, Runnable check) {
        transactions.executeWithoutResult(transaction -> {
            Target before = store.lock(name).orElseThrow(() -> ProblemException.notFound("database", name));
            check.run();
            String domains =
                    open(name).pools().stream().map(Pool::domain).sorted().collect(Collectors.joining(", "));
            if (!domains.isEmpty()) {
                throw ProblemException.of(
                        ProblemType.CONFLICT,
                        "Database '" + name + "' still has domains: " + domains + ". Delete them first.");
            }
            policies.forget(Scope.database(name));
            store.remove(name);
            audit.record(DELETE, path(name), Shown.of(before), null);
        });
        engine.close(name);
        events.publishEvent(new DatabasesChanged(Instant.now(), name));
    }

    /**
     * Updates the port of Headgate's own server, if the database's other settings are unchanged. Called before {@link #restore()},
     * because the former port may belong to another program now.
     */
    public void followPort(String name, String host, String database, String user, int port) {
        transactions.executeWithoutResult(transaction -> store.lock(name)
                .filter(target -> target.host().equals(host)
                        && target.database().equals(database)
                        && target.user().equals(user)
                        && target.port() != port)
                .ifPresent(before -> {
                    Target after = Target.of(name, host, port, database, user, before.password(), before.budget())
                            .withSslMode(before.sslMode());
                    store.replace(after);
                    audit.record(CHANGE, path(name), Shown.of(before), Shown.of(after));
                }));
    }

    /** Opens every stored database in the engine, reachable or not. Called once at the start. */
    public void restore() {
        for (Target target : store.all()) {
            Database database = engine.open(target);
            database.swap(policies.inForce(Scope.database(target.name()), target.budget()));
            log.info("Database {} is open", target);
        }
    }

    private Database open(String name) {
        return engine.database(name).orElseThrow(() -> ProblemException.notFound("database", name));
    }

    private static ServerFacts probe(Target target) {
        try {
            return Engine.probe(target.withTimeouts(PROBE_TIMEOUT, PROBE_TIMEOUT));
        } catch (SQLException e) {
            throw ProblemException.of(
                    ProblemType.DATABASE_UNREACHABLE,
                    target.host() + ":" + target.port() + "/" + target.database() + " as " + target.user()
                            + " cannot be reached: " + cause(e, target.password()) + hint(e, target));
        }
    }

    /** What to do if the server could not be verified; empty for other failures. */
    private static String hint(SQLException e, Target target) {
        String message = String.valueOf(e.getMessage());
        boolean ofTls = message.contains("SSL") || message.contains("hostname") || message.contains("certificate");
        return ofTls && target.sslMode().compareTo(Target.SslMode.VERIFY_CA) >= 0
                ? " sslMode is " + target.sslMode().label()
                        + ", the default for a host that is not this machine is verify-full: put the certificate of the"
                        + " authority that signed the server's into ~/.postgresql/root.crt of the user that runs Headgate,"
                        + " or give a weaker sslMode."
                : "";
    }

    private static String cause(SQLException e, String password) {
        String message = ConnectFault.why(e);
        return password.isEmpty() ? message : message.replace(password, "***");
    }

    private static Optional<String> warning(Target target, ServerFacts facts) {
        int free = facts.maxConnections() - facts.othersUse();
        return target.budget() <= free
                ? Optional.empty()
                : Optional.of("The budget of " + target.budget() + " is more than the server can give: it allows "
                        + facts.maxConnections() + " connections, of which others use " + facts.othersUse() + ".");
    }

    private static Target target(DatabaseCreateRequest request) {
        return Target.of(
                        request.name(),
                        request.host(),
                        request.port(),
                        request.database(),
                        request.user(),
                        request.password() == null ? "" : request.password(),
                        request.budget())
                .withSslMode(TargetStore.sslMode(request.sslModeInForce()));
    }

    private static Target patched(Target target, DatabasePatchRequest patch) {
        return Target.of(
                        target.name(),
                        Objects.requireNonNullElse(patch.host(), target.host()),
                        Objects.requireNonNullElse(patch.port(), target.port()),
                        Objects.requireNonNullElse(patch.database(), target.database()),
                        Objects.requireNonNullElse(patch.user(), target.user()),
                        Objects.requireNonNullElse(patch.password(), target.password()),
                        Objects.requireNonNullElse(patch.budget(), target.budget()))
                .withSslMode(sslMode(target, patch));
    }

    /** A database that moves to another machine gets {@code verify-full}, unless the change names a mode. */
    private static Target.SslMode sslMode(Target target, DatabasePatchRequest patch) {
        if (patch.sslMode() != null) {
            return TargetStore.sslMode(patch.sslMode());
        }
        boolean leaves = patch.host() != null
                && DatabaseCreateRequest.isLoopback(target.host())
                && !DatabaseCreateRequest.isLoopback(patch.host());
        return leaves ? Target.SslMode.VERIFY_FULL : target.sslMode();
    }

    /** The stored password is sent only to the server that it was given for, and never over a weaker connection. */
    private static void checkPasswordGiven(Target kept, Target wanted, DatabasePatchRequest patch) {
        boolean elsewhere = !kept.host().equals(wanted.host())
                || kept.port() != wanted.port()
                || !kept.database().equals(wanted.database())
                || !kept.user().equals(wanted.user())
                || wanted.sslMode().compareTo(kept.sslMode()) < 0;
        if (elsewhere && patch.password() == null && !kept.password().isEmpty()) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    List.of(Fault.at(
                            "/password",
                            "is needed again: the one that is kept goes to no other host, port, database or user, and over"
                                    + " no weaker sslMode",
                            "the password for " + wanted.user() + " at " + wanted.host() + ":" + wanted.port() + "/"
                                    + wanted.database())));
        }
    }

    private static boolean sameServer(Target a, Target b) {
        return a.host().equals(b.host())
                && a.port() == b.port()
                && a.database().equals(b.database())
                && a.user().equals(b.user())
                && a.password().equals(b.password())
                && a.sslMode() == b.sslMode();
    }

    private static ProblemException nameTaken(String name) {
        return ProblemException.of(ProblemType.CONFLICT, "A database '" + name + "' already exists.");
    }

    private static String path(String name) {
        return Scope.database(name).path();
    }
}
