package dev.headgate.server.domains;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.RowVersion;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.spi.Tier;
import dev.headgate.wire.WirePort;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** The domains and the actions on their pools. Names are unique over all databases. */
@Service
public class Domains {

    private static final String CREATE = "domains.create";
    private static final String DELETE = "domains.delete";

    private static final Duration CLOSING_PATIENCE = Duration.ofSeconds(5);
    private static final long STEP_SECONDS = 5;

    /** How many domains are read at a time if the filter may drop many. */
    private static final int LOOKED_AT_ONCE = 200;

    private static final Logger log = LoggerFactory.getLogger(Domains.class);

    private final DomainStore store;
    private final Policies policies;
    private final ManagedSets managed;
    private final Engine engine;
    private final Counts counts;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final ApplicationEventPublisher events;

    Domains(
            DomainStore store,
            Policies policies,
            ManagedSets managed,
            Engine engine,
            Counts counts,
            Audit audit,
            TransactionTemplate transactions,
            ApplicationEventPublisher events) {
        this.counts = counts;
        this.store = store;
        this.policies = policies;
        this.managed = managed;
        this.engine = engine;
        this.audit = audit;
        this.transactions = transactions;
        this.events = events;
    }

    /** What an operator may do to a pool. */
    public enum Action {
        PAUSE,
        RESUME,
        FLUSH,
        DRAIN;

        private CompletionStage<Void> on(Pool pool) {
            return switch (this) {
                case PAUSE -> pool.pause();
                case RESUME -> pool.resume();
                case FLUSH -> pool.flush();
                case DRAIN -> pool.drain();
            };
        }
    }

    /** The part of a domain that the audit records. */
    private record Shown(
            String name,
            String database,
            String description,
            SortedMap<String, String> labels,
            DomainWireJson wire,
            DomainSqlJson sql) {
        static Shown of(DomainStore.Row row) {
            return new Shown(row.name(), row.database(), row.description(), row.labels(), row.wire(), row.sql());
        }
    }

    /** All domains, by name. */
    public List<DomainJson> list() {
        Map<Scope, String> owners = managed.owners();
        return store.all().stream()
                .flatMap(row -> json(row, owners.get(Scope.domain(row.name()))).stream())
                .toList();
    }

    /** A page of domains, by name. Costs what it returns, and a look at each pool if the filter asks for state or alarms. */
    Page<DomainJson> page(DomainFilter filter, Paging<String> paging) {
        List<Row> found = new ArrayList<>();
        @Nullable String after = paging.after();
        int batch = filter.asksForPool() ? Math.max(paging.fetch(), LOOKED_AT_ONCE) : paging.fetch();
        List<DomainStore.Row> rows;
        do {
            rows = store.page(filter, after, batch);
            for (DomainStore.Row row : rows) {
                engine.pool(row.name())
                        .map(Pool::status)
                        .filter(filter::matches)
                        .ifPresent(status -> found.add(new Row(row, status)));
            }
            after = rows.isEmpty() ? after : rows.getLast().name();
        } while (rows.size() == batch && found.size() < paging.fetch());
        Page<Row> page = paging.page(
                found.size() <= paging.fetch() ? found : found.subList(0, paging.fetch()),
                one -> one.kept().name());
        Map<Scope, String> owners = managed.owners(page.items().stream()
                .map(one -> Scope.domain(one.kept().name()))
                .toList());
        return page.map(one -> json(
                one.kept(), one.status(), owners.get(Scope.domain(one.kept().name()))));
    }

    /** A stored domain and the current status of its pool. */
    private record Row(DomainStore.Row kept, PoolStatus status) {}

    /** A domain, and the version of its settings. */
    record Kept(DomainJson domain, RowVersion version) {}

    /** @throws ProblemException not-found */
    public DomainJson get(String name) {
        return read(name).domain();
    }

    /** The same with its version. */
    Kept read(String name) {
        return store.find(name)
                .flatMap(row -> json(row, managed.owner(Scope.domain(name)).orElse(null))
                        .map(domain -> new Kept(domain, row.version())))
                .orElseThrow(() -> ProblemException.notFound("domain", name));
    }

    /** A domain and its database. It never moves to another one. */
    private record Place(String name, String database) {}

    /**
     * The database of each domain that there was at an instant, by the domain's name. Blocks on the control store.
     *
     * @return empty if the audit does not reach back so far
     */
    public Optional<Map<String, String>> databasesAt(Instant at) {
        Map<String, Place> today = new HashMap<>();
        for (Database database : engine.databases()) {
            for (Pool pool : database.pools()) {
                today.put(path(pool.domain()), new Place(pool.domain(), database.name()));
            }
        }
        return audit.asOf(at, today, List.of(CREATE, DELETE), Place.class)
                .map(then -> then.values().stream().collect(Collectors.toMap(Place::name, Place::database)));
    }

    /** The wire settings of each domain, by name. */
    public Map<String, DomainWireJson> wire() {
        return store.all().stream().collect(Collectors.toMap(DomainStore.Row::name, DomainStore.Row::wire));
    }

    /** Those of one domain; empty if there is no such domain. */
    public Optional<DomainWireJson> wire(String name) {
        return store.find(name).map(DomainStore.Row::wire);
    }

    /** The settings for SQL over HTTP of each domain, by name. */
    public Map<String, DomainSqlJson> sql() {
        return store.all().stream().collect(Collectors.toMap(DomainStore.Row::name, DomainStore.Row::sql));
    }

    /** Those of one domain; empty if there is no such domain. */
    public Optional<DomainSqlJson> sql(String name) {
        return store.find(name).map(DomainStore.Row::sql);
    }

    /** The labels of each domain that has some, by name. */
    public Map<String, SortedMap<String, String>> labels() {
        return store.labels();
    }

    /** Those of one domain; empty if there is no such domain. */
    public Optional<SortedMap<String, String>> labels(String name) {
        return store.find(name).map(DomainStore.Row::labels);
    }

    /** The owner of the policy set of each domain whose set is not edited by hand, by name. */
    public Map<String, String> owners() {
        Map<String, String> owners = new HashMap<>();
        managed.owners().forEach((scope, owner) -> {
            if (scope.kind() == Scope.Kind.DOMAIN) {
                owners.put(scope.name(), owner);
            }
        });
        return owners;
    }

    /** That of one domain's policy set; empty if it is edited by hand, or if there is no such domain. */
    public Optional<String> owner(String name) {
        return managed.owner(Scope.domain(name));
    }

    public boolean exists(String name) {
        return engine.pool(name).isPresent();
    }

    /** @throws ProblemException not-found */
    public Pool pool(String name) {
        return engine.pool(name).orElseThrow(() -> ProblemException.notFound("domain", name));
    }

    /** The fault of a well-formed name that no domain may have, at {@code /name}; empty for any other. */
    public Optional<Fault> nameFault(String name) {
        return name.equals(WirePort.CONSOLE)
                ? Optional.of(Fault.at("/name", "cannot be '" + name + "': that is the wire port's console"))
                : Optional.empty();
    }

    /**
     * Creates a domain and opens its pool.
     *
     * @throws ProblemException conflict if the name is taken or there are as many domains as there may be, invalid-request if there is
     *     no such database, invalid-policy-set with every fault
     */
    public DomainJson create(DomainCreateRequest request) {
        return counts.make(Counts.Kind.DOMAINS, () -> added(request));
    }

    private DomainJson added(DomainCreateRequest request) {
        nameFault(request.name()).ifPresent(fault -> {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, List.of(fault));
        });
        requireValid(request.labels());
        Database database = engine.database(request.database()).orElseThrow(() -> noSuchDatabase(request.database()));
        if (exists(request.name())) {
            throw nameTaken(request.name());
        }
        String description = request.description() == null ? "" : request.description();
        DomainWireJson wire =
                request.wire() == null ? DomainWireJson.DEFAULT : DomainWireJson.DEFAULT.with(request.wire());
        DomainSqlJson sql = request.sql() == null ? DomainSqlJson.DEFAULT : DomainSqlJson.DEFAULT.with(request.sql());
        try {
            policies.found(
                    Scope.domain(request.name()),
                    request.database(),
                    () -> database.target().budget(),
                    request.policySet(),
                    () -> store.add(
                            request.name(),
                            request.database(),
                            description,
                            Labels.sorted(request.labels()),
                            wire,
                            sql),
                    set -> {
                        audit.record(CREATE, path(request.name()), null, request);
                        database.open(request.name(), set);
                    });
        } catch (DuplicateKeyException e) {
            throw nameTaken(request.name());
        } catch (ProblemException e) {
            throw e;
        } catch (RuntimeException e) {
            engine.pool(request.name()).ifPresent(half -> half.database().close(half.domain()));
            throw e;
        }
        events.publishEvent(new DomainsChanged(Instant.now(), request.name()));
        return get(request.name());
    }

    /** @throws ProblemException not-found */
    public DomainJson change(String name, DomainPatchRequest patch) {
        return change(name, patch, null).domain();
    }

    /**
     * Nothing happens where everything is as it is wanted: the version stays the same.
     *
     * @param ifMatch the version that the change is based on, as an entity tag; null for any
     */
    Kept change(String name, DomainPatchRequest patch, @Nullable String ifMatch) {
        requireValid(patch.labels());
        Boolean changed = transactions.execute(transaction -> {
            DomainStore.Row before = store.lock(name).orElseThrow(() -> ProblemException.notFound("domain", name));
            before.version().require(ifMatch, "domain '" + name + "'");
            Shown after = new Shown(
                    name,
                    before.database(),
                    patch.description() == null ? before.description() : patch.description(),
                    patch.labels() == null ? before.labels() : Labels.sorted(patch.labels()),
                    patch.wire() == null ? before.wire() : before.wire().with(patch.wire()),
                    patch.sql() == null ? before.sql() : before.sql().with(patch.sql()));
            if (after.equals(Shown.of(before))) {
                return false;
            }
            store.change(name, after.description(), after.labels(), after.wire(), after.sql());
            audit.record("domains.change", path(name), Shown.of(before), after);
            return true;
        });
        if (Boolean.TRUE.equals(changed)) {
            events.publishEvent(new DomainsChanged(Instant.now(), name));
        }
        return read(name);
    }

    /**
     * Deletes a domain. Its waiters fail, its idle connections close, and leased ones close when they are returned. Waits some seconds
     * for them, so that the name can be used again.
     *
     * @param ifMatch the version that is to be deleted, as an entity tag; null for any
     * @throws ProblemException not-found, stale-revision
     */
    void remove(String name, @Nullable String ifMatch) {
        remove(name, () -> store.find(name).orElseThrow().version().require(ifMatch, "domain '" + name + "'"));
    }

    /** @param check is called in the transaction that deletes it; what it throws keeps the domain */
    public void remove(String name, Runnable check) {
        transactions.executeWithoutResult(transaction -> {
            DomainStore.Row before = store.lock(name).orElseThrow(() -> ProblemException.notFound("domain", name));
            check.run();
            policies.forget(Scope.domain(name));
            store.remove(name);
            audit.record(DELETE, path(name), Shown.of(before), null);
        });
        engine.pool(name).ifPresent(Domains::close);
        events.publishEvent(new DomainsChanged(Instant.now(), name));
    }

    private static void close(Pool pool) {
        try {
            pool.database()
                    .close(pool.domain())
                    .toCompletableFuture()
                    .get(CLOSING_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.atInfo()
                    .addKeyValue("domain", pool.domain())
                    .log("The pool of {} closes when its last lease ends", pool.domain());
        }
    }

    /** @throws ProblemException not-found */
    public PoolJson act(String name, Action action) {
        Pool pool = pool(name);
        CompletionStage<Void> done = Objects.requireNonNull(transactions.execute(transaction -> {
            audit.record("domains." + action.name().toLowerCase(Locale.ROOT), path(name), null, null);
            return action.on(pool);
        }));
        awaitStep(done, pool);
        return PoolJson.of(pool.status());
    }

    /** Waits for the governor's step, so that the answer shows the effect of the action. Gives up after a while. */
    private static void awaitStep(CompletionStage<Void> done, Pool pool) {
        try {
            done.toCompletableFuture().get(STEP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.atWarn()
                    .addKeyValue("domain", pool.domain())
                    .log(
                            "The governor of {} has not acted on {} yet",
                            pool.database().name(),
                            pool.domain());
        }
    }

    /** Opens the pool of every stored domain. Called once at the start, when the databases are open. */
    public void restore() {
        for (DomainStore.Row row : store.all()) {
            Optional<Database> database = engine.database(row.database());
            if (database.isEmpty()) {
                log.atError()
                        .addKeyValue("domain", row.name())
                        .log("Domain {} is not open: its database {} is not", row.name(), row.database());
                continue;
            }
            PolicySet set = policies.inForce(
                    Scope.domain(row.name()), database.get().target().budget());
            database.get().open(row.name(), set);
            log.atInfo()
                    .addKeyValue("domain", row.name())
                    .log("Domain {} is open on {} at revision {}", row.name(), row.database(), set.revision());
        }
    }

    /** Empty if the domain has just been deleted. */
    private Optional<DomainJson> json(DomainStore.Row row, @Nullable String managedBy) {
        return engine.pool(row.name()).map(Pool::status).map(status -> json(row, status, managedBy));
    }

    private static DomainJson json(DomainStore.Row row, PoolStatus status, @Nullable String managedBy) {
        return new DomainJson(
                row.name(),
                row.database(),
                row.description(),
                row.labels(),
                tier(status),
                status.revision(),
                managedBy,
                row.createdAt(),
                row.wire(),
                row.sql(),
                PoolJson.of(status));
    }

    private static @Nullable String tier(PoolStatus status) {
        return status.tier() == Tier.NONE ? null : status.tier().name().toLowerCase(Locale.ROOT);
    }

    private static void requireValid(@Nullable Map<String, @Nullable String> labels) {
        List<Fault> faults = labels == null ? List.of() : Labels.faults(labels);
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
    }

    private ProblemException noSuchDatabase(String name) {
        String known = Fault.names(
                engine.databases().stream().map(Database::name).sorted().toList());
        return ProblemException.of(
                ProblemType.INVALID_REQUEST,
                Stream.of(Fault.at("/database", "there is no database '" + name + "'", known))
                        .toList());
    }

    private static ProblemException nameTaken(String name) {
        return ProblemException.of(ProblemType.CONFLICT, "A domain '" + name + "' already exists.");
    }

    private static String path(String name) {
        return Scope.domain(name).path();
    }
}
