package dev.headgate.server.files;

import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.databases.DatabasePatchRequest;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.DomainCreateRequest;
import dev.headgate.server.domains.DomainPatchRequest;
import dev.headgate.server.domains.DomainSqlRequest;
import dev.headgate.server.domains.DomainWireRequest;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.files.Step.Action;
import dev.headgate.server.files.Step.Phase;
import dev.headgate.server.files.Wanted.Part;
import dev.headgate.server.files.Wanted.Place;
import dev.headgate.server.files.Wanted.WantedDatabase;
import dev.headgate.server.files.Wanted.WantedDomain;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.ManagedSets.InForce;
import dev.headgate.server.policies.ManagedSets.Owner;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Compares files with the current state. Finds all remaining faults or, if there are none, the steps from the current state to
 * the files'. Files without a declared source that describe the current state claim nothing: every set keeps its owner. Made for
 * one answer and used by one thread. Blocks while it connects to databases.
 */
final class Comparison {

    private static final String CREATED = "It was created.";
    private static final String CHANGED = "Its settings are as in the files.";
    private static final String PUT = "Its policy set is as in the files.";
    private static final String DELETED = "It was deleted.";

    private static final PolicySetRequest NOTHING = new PolicySetRequest(List.of(), null, null);

    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final Wanted wanted;
    private final Terms terms;
    private final Ownership ownership;
    private final Differences differences;

    /** A database that does not answer takes some seconds, and a file may have hundreds. */
    private static final Duration MOST_FAILING = Duration.ofSeconds(8);

    private final Map<Scope, InForce> inForce = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final Faults faults;

    /** The names of the databases that there will be. */
    private final String known;

    /** The faults that the reader found. */
    private final List<Fault> told;

    /** Databases that were tried, or are already reported as unreachable. */
    private final Set<String> tried = new HashSet<>();

    /** How long databases were tried that cannot be used. */
    private long failingNanos;

    private final List<String> leftover = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /**
     * @param faults the known ones; further ones are added
     * @param progress receives the compared share of what is wanted
     */
    Comparison(
            Databases databases,
            Domains domains,
            ManagedSets sets,
            Wanted wanted,
            Terms terms,
            Faults faults,
            Progress progress) {
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.wanted = wanted;
        this.terms = terms;
        this.ownership = new Ownership(wanted, terms, terms.prune() && faults.isEmpty());
        this.differences = new Differences(sets);
        this.faults = faults;
        this.told = faults.list();
        sets.all().forEach(set -> inForce.put(set.scope(), set));
        this.known = Fault.names(known());
        compare(progress);
    }

    List<Step> steps() {
        return Step.ordered(steps);
    }

    /** How many of each kind would be made. They are made before others are deleted. */
    Map<Counts.Kind, Integer> made() {
        return Map.of(Counts.Kind.DATABASES, made(Scope.Kind.DATABASE), Counts.Kind.DOMAINS, made(Scope.Kind.DOMAIN));
    }

    private int made(Scope.Kind kind) {
        return (int) steps.stream()
                .map(Step::change)
                .filter(change ->
                        change.action().equals("create") && change.kind().equals(kind.label()))
                .count();
    }

    List<String> leftover() {
        return leftover;
    }

    List<String> warnings() {
        return warnings;
    }

    private void compare(Progress progress) {
        int parts = wanted.databases().size() + wanted.domains().size();
        int done = 0;
        for (WantedDatabase database : wanted.databases().values()) {
            database(database);
            progress.at(++done, parts);
        }
        Map<String, Integer> promised = new TreeMap<>();
        inForce.values().stream()
                .filter(set -> set.scope().kind() == Scope.Kind.DOMAIN)
                .filter(set -> !ownership.isInFiles(set) && !ownership.isPruned(set))
                .forEach(set -> promised.merge(set.database(), set.guaranteed(), Integer::sum));
        wanted.databases().values().forEach(database -> covers(database, promised));
        for (WantedDomain domain : wanted.domains().values()) {
            domain(domain, promised);
            progress.at(++done, parts);
        }
        wanted.parts().forEach(part -> part(part, promised));
        inForce.values().forEach(this::left);
        steps.forEach(this::warnIfUnreachable);
    }

    private void database(WantedDatabase database) {
        DatabaseCreateRequest request = database.request();
        Scope scope = Scope.database(request.name());
        InForce before = inForce.get(scope);
        PolicySetRequest set = check(scope, request.name(), request.budget(), 0, database.set(), database.place())
                .request();
        if (before == null) {
            newDatabase(database, scope, set);
        } else {
            changedDatabase(database, before, set);
        }
    }

    private void newDatabase(WantedDatabase database, Scope scope, PolicySetRequest set) {
        DatabaseCreateRequest request = database.request();
        Place place = database.place();
        unlessUnreachable(request.name(), place, () -> databases.tryOut(request));
        InForce nothing = new InForce(scope, request.name(), 0, 0, null, NOTHING);
        steps.add(new Step(
                Phase.DATABASE_MADE_OR_WIDENED,
                database.source(),
                FileChange.of("create", scope, place.toString(), null, differences.ofNew(database, set)),
                new Action(CREATED, () -> databases.create(request)),
                new Action(PUT, () -> put(database.source(), nothing, set))));
    }

    private void changedDatabase(WantedDatabase database, InForce before, PolicySetRequest set) {
        DatabaseCreateRequest request = database.request();
        Place place = database.place();
        DatabaseJson kept = databases.get(request.name());
        String password = request.password();
        List<FileDifference> found = new ArrayList<>(
                differences.of(kept, database, password != null && databases.hasPassword(request.name(), password)));
        boolean retargeted = !found.isEmpty();
        DatabasePatchRequest patch = patch(request);
        if (found.stream().anyMatch(difference -> !difference.pointer().equals("/budget"))) {
            tried.add(request.name());
        }
        if (retargeted) {
            unlessUnreachable(request.name(), place, () -> databases.tryOut(request.name(), patch));
        }
        found.addAll(differences.ofSet(before, set));
        if (ownership.claims(database.source(), before, found, fault -> faults.add(place.fault(fault)))) {
            warnOfProbation(before);
            boolean narrowed = request.budget() < kept.budget();
            steps.add(new Step(
                    narrowed ? Phase.DATABASE_NARROWED : Phase.DATABASE_MADE_OR_WIDENED,
                    database.source(),
                    FileChange.of("change", before.scope(), place.toString(), before, found),
                    new Action(CHANGED, () -> {
                        if (retargeted) {
                            databases.change(request.name(), patch);
                        }
                    }),
                    new Action(PUT, () -> put(database.source(), before, set))));
        }
    }

    /** Checks that a wanted budget covers the guarantees of domains that the files do not mention. */
    private void covers(WantedDatabase database, Map<String, Integer> promised) {
        int guaranteed = promised.getOrDefault(database.request().name(), 0);
        if (database.request().budget() < guaranteed) {
            faults.add(database.place()
                    .fault(Fault.at(
                            "/budget",
                            "must cover the " + guaranteed
                                    + " connections guaranteed to domains that are not in the files, was "
                                    + database.request().budget(),
                            "at least " + guaranteed)));
        }
    }

    private void domain(WantedDomain domain, Map<String, Integer> promised) {
        Scope scope = Scope.domain(domain.name());
        Place place = domain.place();
        InForce before = inForce.get(scope);
        domains.nameFault(domain.name()).ifPresent(fault -> faults.add(place.fault(fault)));
        Integer budget = budget(domain.database(), place);
        if (budget != null && before != null && !before.database().equals(domain.database())) {
            faults.add(place.fault(Fault.at(
                    "/database",
                    "cannot be '" + domain.database() + "': " + domain.name() + " is on " + before.database()
                            + ", and a domain is not moved; delete it first",
                    before.database())));
        }
        int others = promised.getOrDefault(domain.database(), 0);
        Draft set = check(
                scope, domain.database(), budget == null ? Integer.MAX_VALUE : budget, others, domain.set(), place);
        if (set.faults().isEmpty()) {
            promised.merge(domain.database(), set.guaranteed(), Integer::sum);
        }
        if (before == null) {
            newDomain(domain, scope, set.request());
        } else {
            changedDomain(domain, before, set);
        }
    }

    private void newDomain(WantedDomain domain, Scope scope, PolicySetRequest set) {
        Source source = domain.source();
        boolean hasSet = domain.set() != null;
        steps.add(new Step(
                Phase.DOMAIN_MADE_OR_WIDENED,
                source,
                FileChange.of("create", scope, domain.place().toString(), null, differences.ofNew(domain, set)),
                new Action(
                        CREATED,
                        () -> domains.create(new DomainCreateRequest(
                                domain.name(),
                                domain.database(),
                                domain.description(),
                                domain.labels(),
                                DomainWireRequest.of(domain.wire()),
                                DomainSqlRequest.of(domain.sql()),
                                hasSet ? commented(source, set) : null))),
                new Action("It belongs to the files.", () -> sets.take(source.owner(), scope, hasSet ? 1 : 0, null))));
    }

    private void changedDomain(WantedDomain domain, InForce before, Draft set) {
        Place place = domain.place();
        List<FileDifference> found = new ArrayList<>(differences.of(domains.get(domain.name()), domain));
        boolean itself = !found.isEmpty();
        found.addAll(differences.ofSet(before, set.request()));
        if (ownership.claims(domain.source(), before, found, fault -> faults.add(place.fault(fault)))) {
            warnOfProbation(before);
            steps.add(new Step(
                    set.guaranteed() <= before.guaranteed() ? Phase.SET_NARROWED : Phase.DOMAIN_MADE_OR_WIDENED,
                    domain.source(),
                    FileChange.of("change", before.scope(), place.toString(), before, found),
                    new Action(CHANGED, () -> {
                        if (itself) {
                            domains.change(
                                    domain.name(),
                                    new DomainPatchRequest(
                                            domain.description(),
                                            domain.labels(),
                                            DomainWireRequest.of(domain.wire()),
                                            DomainSqlRequest.of(domain.sql())));
                        }
                    }),
                    new Action(PUT, () -> put(domain.source(), before, set.request()))));
        }
    }

    /** Checks the readable part of a faulty object by the same rules, so that all its faults are reported at once. */
    private void part(Part part, Map<String, Integer> promised) {
        Scope scope = part.scope();
        if (scope.kind() == Scope.Kind.DATABASE) {
            check(scope, scope.name(), part.budget(), 0, part.set(), part.place());
            return;
        }
        String database = part.database();
        Integer budget = database == null ? null : budget(database, part.place());
        Draft set = check(
                scope,
                database == null ? "" : database,
                budget == null ? Integer.MAX_VALUE : budget,
                database == null ? 0 : promised.getOrDefault(database, 0),
                part.set(),
                part.place());
        if (database != null && set.isValid()) {
            promised.merge(database, set.guaranteed(), Integer::sum);
        }
    }

    private void left(InForce set) {
        Scope scope = set.scope();
        String name = scope.name();
        if (!ownership.isLeft(set)) {
            ownership.doubt(set).ifPresent(warnings::add);
        } else if (!ownership.prune()) {
            leftover.add(scope.kind().label() + " " + name);
        } else if (scope.kind() == Scope.Kind.DOMAIN) {
            steps.add(new Step(
                    Phase.DOMAIN_DELETED,
                    Source.of(Objects.requireNonNull(set.owner())),
                    FileChange.of("delete", scope, null, set, List.of()),
                    new Action(DELETED, () -> domains.remove(name, () -> sets.requireUnchanged(set)))));
        } else {
            List<String> staying = inForce.values().stream()
                    .filter(other -> other.scope().kind() == Scope.Kind.DOMAIN
                            && other.database().equals(name)
                            && !ownership.isPruned(other))
                    .map(other -> other.scope().name())
                    .toList();
            if (staying.isEmpty()) {
                steps.add(new Step(
                        Phase.DATABASE_DELETED,
                        Source.of(Objects.requireNonNull(set.owner())),
                        FileChange.of("delete", scope, null, set, List.of()),
                        new Action(DELETED, () -> databases.remove(name, () -> sets.requireUnchanged(set)))));
            } else {
                faults.add(Fault.at(
                                "",
                                "database '" + name + "' was removed from the files but cannot be deleted: "
                                        + "it is still used by " + Fault.names(staying),
                                "the database in the files, or released: ./headgate apply --release database/" + name)
                        .foundAt(terms.name()));
            }
        }
    }

    /** Whoever began it would wait in vain for the former set. */
    private void warnOfProbation(InForce before) {
        sets.guard(before)
                .ifPresent(guard -> warnings.add(before.scope().kind().label() + " "
                        + before.scope().name() + " is on probation until "
                        + guard.until().truncatedTo(ChronoUnit.SECONDS) + ", and its revision " + guard.restores()
                        + " may come back; applying the files ends the probation"));
    }

    private void warnIfUnreachable(Step step) {
        FileChange change = step.change();
        String database = change.kind().equals(Scope.Kind.DATABASE.label()) ? change.name() : databaseOf(change.name());
        if (!databases.exists(database) || !tried.add(database)) {
            return;
        }
        DatabaseJson live = databases.get(database);
        if (!live.reachable()) {
            warnings.add("database " + database
                    + " cannot be reached now, so what is changed there takes effect when it is reached again: "
                    + live.unreachableReason());
        }
    }

    private String databaseOf(String domain) {
        WantedDomain asked = wanted.domains().get(domain);
        return asked != null
                ? asked.database()
                : Objects.requireNonNull(inForce.get(Scope.domain(domain))).database();
    }

    private Draft check(
            Scope scope, String database, int budget, int promised, @Nullable PolicySetRequest set, Place place) {
        Draft checked = sets.check(scope, database, budget, promised, set);
        checked.faults().stream()
                .map(fault -> place.fault(fault.under("/policySet")))
                .filter(fault -> told.stream().noneMatch(known -> isAtTheSamePlace(known, fault)))
                .forEach(faults::add);
        checked.warnings().forEach(warning -> warnings.add(scope.kind().label() + " " + scope.name() + ": " + warning));
        return checked;
    }

    /** Whether the reader has reported a fault there: an unreadable value looks omitted here. */
    private static boolean isAtTheSamePlace(Fault known, Fault fault) {
        return known.pointer().equals(fault.pointer()) && Objects.equals(known.at(), fault.at());
    }

    /** @param attempt tries the database, and warns of what is allowed and probably not intended */
    private void unlessUnreachable(String database, Place place, Supplier<Optional<String>> attempt) {
        if (failingNanos > MOST_FAILING.toNanos()) {
            faults.add(place.fault(Fault.at(
                    "/host",
                    "was not tried: databases that cannot be used took " + MOST_FAILING.toSeconds() + " s before it")));
            return;
        }
        long begunNanos = System.nanoTime();
        try {
            attempt.get().ifPresent(warning -> warnings.add("database " + database + ": " + warning));
        } catch (ProblemException e) {
            failingNanos += System.nanoTime() - begunNanos;
            if (!e.faults().isEmpty()) {
                e.faults().forEach(fault -> faults.add(place.fault(fault)));
                return;
            }
            faults.add(place.fault(Fault.at("/host", "cannot be used: " + e.getMessage())));
        }
    }

    /** Puts a set in force, unless it is already, and gives it to the source. */
    private void put(Source source, InForce before, PolicySetRequest set) {
        Owner owner = source.owner();
        Scope scope = before.scope();
        boolean same = sets.differences(scope, before.set(), set).isEmpty();
        if (same || (before.owner() != null && !before.owner().equals(owner))) {
            sets.take(owner, scope, before.revision(), before.owner());
        }
        if (!same) {
            sets.put(owner, scope, before.revision(), commented(source, set));
        }
    }

    private static PolicySetRequest commented(Source source, PolicySetRequest set) {
        String from = "From " + source.name();
        return set.withComment(set.comment() == null ? from : from + ": " + set.comment());
    }

    /** The budget of a domain's database after the change; null, with a fault, if there will be no such database. */
    private @Nullable Integer budget(String database, Place place) {
        Integer budget = budget(database);
        if (budget == null) {
            faults.add(place.fault(Fault.at("/database", "there is no database '" + database + "'", known)));
        }
        return budget;
    }

    private @Nullable Integer budget(String database) {
        WantedDatabase planned = wanted.databases().get(database);
        if (planned != null) {
            return planned.request().budget();
        }
        Optional<Part> faulty = wanted.part(Scope.database(database));
        if (faulty.isPresent()) {
            return faulty.get().budget(); // already reported as faulty
        }
        InForce kept = inForce.get(Scope.database(database));
        return kept == null || ownership.isPruned(kept)
                ? null
                : (Integer) databases.get(database).budget();
    }

    private List<String> known() {
        List<String> names = new ArrayList<>(wanted.databases().keySet());
        inForce.values().stream()
                .filter(set -> set.scope().kind() == Scope.Kind.DATABASE && !ownership.isPruned(set))
                .map(set -> set.scope().name())
                .forEach(names::add);
        return names.stream().distinct().sorted().toList();
    }

    private static DatabasePatchRequest patch(DatabaseCreateRequest request) {
        return new DatabasePatchRequest(
                request.host(),
                request.port(),
                request.database(),
                request.user(),
                request.password(),
                request.sslModeInForce(),
                request.budget());
    }
}
