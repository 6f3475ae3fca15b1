package dev.headgate.server.files;

import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.databases.DatabasePatchRequest;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.DomainCreateRequest;
import dev.headgate.server.domains.DomainJson;
import dev.headgate.server.domains.DomainPatchRequest;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.DomainSqlRequest;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.domains.DomainWireRequest;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.files.Step.Action;
import dev.headgate.server.files.Step.Phase;
import dev.headgate.server.files.Wanted.Part;
import dev.headgate.server.files.Wanted.Place;
import dev.headgate.server.files.Wanted.WantedDatabase;
import dev.headgate.server.files.Wanted.WantedDomain;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.ManagedSets.InForce;
import dev.headgate.server.policies.ManagedSets.Owner;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares files with the current state. Finds all remaining faults or, if there are none, the steps from the current state to
 * the files'. Files without a declared source that describe the current state claim nothing: every set keeps its owner. Made for
 * one answer and used by one thread. Blocks while it connects to databases.
 */
final class Comparison {

    private static final String CHANGED = "Its settings are as in the files.";
    private static final String PUT = "Its policy set is as in the files.";
    private static final String DELETED = "It was deleted.";

    private static final PolicySetRequest NOTHING = new PolicySetRequest(List.of(), null, null);

    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final Wanted wanted;
    private final Terms terms;
    private final boolean prune;

    private final Map<Scope, InForce> inForce = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<Fault> faults;
    private final List<Fault> told;

    /** Databases that were tried, or are already reported as unreachable. */
    private final Set<String> tried = new HashSet<>();

    private final List<String> leftover = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    /** @param faults the known ones; further ones are added */
    Comparison(Databases databases, Domains domains, ManagedSets sets, Wanted wanted, Terms terms, List<Fault> faults) {
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.wanted = wanted;
        this.terms = terms;
        this.prune = terms.prune() && faults.isEmpty();
        this.faults = faults;
        this.told = List.copyOf(faults);
        sets.all().forEach(set -> inForce.put(set.scope(), set));
        compare();
    }

    List<Step> steps() {
        return Step.ordered(steps);
    }

    List<String> leftover() {
        return leftover;
    }

    List<String> warnings() {
        return warnings;
    }

    private void compare() {
        wanted.databases().values().forEach(this::database);
        Map<String, Integer> promised = new TreeMap<>();
        inForce.values().stream()
                .filter(set -> set.scope().kind() == Scope.Kind.DOMAIN)
                .filter(set -> !isInFiles(set) && !isPruned(set))
                .forEach(set -> promised.merge(set.database(), set.guaranteed(), Integer::sum));
        wanted.databases().values().forEach(database -> covers(database, promised));
        wanted.domains().values().forEach(domain -> domain(domain, promised));
        wanted.parts().forEach(part -> part(part, promised));
        inForce.values().forEach(this::left);
        steps.forEach(this::warnIfUnreachable);
    }

    private void database(WantedDatabase database) {
        DatabaseCreateRequest request = database.request();
        Scope scope = Scope.database(request.name());
        Place place = database.place();
        Source source = database.source();
        InForce before = inForce.get(scope);
        Draft set = check(scope, request.name(), request.budget(), 0, database.set(), place);
        List<FileDifference> differences = new ArrayList<>();
        if (before == null) {
            unlessUnreachable(place, () -> databases.tryOut(request));
            differences.addAll(between(Map.of(), shown(request), ""));
            password(database, false, differences);
            if (database.set() != null) {
                differences.add(new FileDifference("/policySet", null, bare(set.request())));
            }
            steps.add(new Step(
                    Phase.DATABASE_MADE_OR_WIDENED,
                    FileChange.of("create", scope, place.toString(), null, differences),
                    new Action("It was created.", () -> databases.create(request)),
                    new Action(
                            PUT,
                            () -> put(
                                    source, new InForce(scope, request.name(), 0, 0, null, NOTHING), set.request()))));
            return;
        }
        DatabaseJson kept = databases.get(request.name());
        differences.addAll(between(shown(kept), shown(request), ""));
        password(database, true, differences);
        boolean retargeted = !differences.isEmpty();
        DatabasePatchRequest patch = patch(request);
        if (differences.stream().anyMatch(difference -> !difference.pointer().equals("/budget"))) {
            tried.add(request.name());
        }
        if (retargeted) {
            unlessUnreachable(place, () -> databases.tryOut(request.name(), patch));
        }
        setDifferences(before, set.request(), differences);
        if (claims(source, before, place, differences)) {
            boolean narrowed = request.budget() < kept.budget();
            steps.add(new Step(
                    narrowed ? Phase.DATABASE_NARROWED : Phase.DATABASE_MADE_OR_WIDENED,
                    FileChange.of("change", scope, place.toString(), before, differences),
                    new Action(CHANGED, () -> {
                        if (retargeted) {
                            databases.change(request.name(), patch);
                        }
                    }),
                    new Action(PUT, () -> put(source, before, set.request()))));
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
        Source source = domain.source();
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
        List<FileDifference> differences = new ArrayList<>();
        if (before == null) {
            differences.add(new FileDifference("/database", null, domain.database()));
            if (!domain.description().isEmpty()) {
                differences.add(new FileDifference("/description", null, domain.description()));
            }
            if (!domain.wire().equals(DomainWireJson.DEFAULT)) {
                differences.add(new FileDifference("/wire", null, domain.wire()));
            }
            if (!domain.sql().equals(DomainSqlJson.DEFAULT)) {
                differences.add(new FileDifference("/sql", null, domain.sql()));
            }
            if (domain.set() != null) {
                differences.add(new FileDifference("/policySet", null, bare(set.request())));
            }
            steps.add(new Step(
                    Phase.DOMAIN_MADE_OR_WIDENED,
                    FileChange.of("create", scope, place.toString(), null, differences),
                    new Action(
                            "It was created.",
                            () -> domains.create(new DomainCreateRequest(
                                    domain.name(),
                                    domain.database(),
                                    domain.description(),
                                    DomainWireRequest.of(domain.wire()),
                                    DomainSqlRequest.of(domain.sql()),
                                    domain.set() == null ? null : commented(source, set.request())))),
                    new Action(
                            "It belongs to the files.",
                            () -> sets.take(source.owner(), scope, domain.set() == null ? 0 : 1, null))));
            return;
        }
        DomainJson kept = domains.get(domain.name());
        if (!kept.description().equals(domain.description())) {
            differences.add(new FileDifference("/description", kept.description(), domain.description()));
        }
        differences.addAll(between(kept.wire(), domain.wire(), "/wire"));
        differences.addAll(between(kept.sql(), domain.sql(), "/sql"));
        boolean itself = !differences.isEmpty();
        setDifferences(before, set.request(), differences);
        if (claims(source, before, place, differences)) {
            steps.add(new Step(
                    set.guaranteed() <= before.guaranteed() ? Phase.SET_NARROWED : Phase.DOMAIN_MADE_OR_WIDENED,
                    FileChange.of("change", scope, place.toString(), before, differences),
                    new Action(CHANGED, () -> {
                        if (itself) {
                            domains.change(
                                    domain.name(),
                                    new DomainPatchRequest(
                                            domain.description(),
                                            DomainWireRequest.of(domain.wire()),
                                            DomainSqlRequest.of(domain.sql())));
                        }
                    }),
                    new Action(PUT, () -> put(source, before, set.request()))));
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

    private boolean isInFiles(InForce set) {
        String name = set.scope().name();
        return wanted.part(set.scope()).isPresent()
                || (set.scope().kind() == Scope.Kind.DOMAIN
                        ? wanted.domains().containsKey(name)
                        : wanted.databases().containsKey(name));
    }

    /** Whether a declared source has put this in force and does not contain it any more. */
    private boolean isLeft(InForce set) {
        return set.owner() != null
                && set.owner().declared()
                && wanted.sources().contains(Source.of(set.owner()))
                && !isInFiles(set);
    }

    private boolean isPruned(InForce set) {
        return prune && isLeft(set);
    }

    private void left(InForce set) {
        Scope scope = set.scope();
        String name = scope.name();
        if (!isLeft(set)) {
            warnIfOfTheSameName(set);
        } else if (!prune) {
            leftover.add(scope.kind().label() + " " + name);
        } else if (scope.kind() == Scope.Kind.DOMAIN) {
            steps.add(new Step(
                    Phase.DOMAIN_DELETED,
                    FileChange.of("delete", scope, null, set, List.of()),
                    new Action(DELETED, () -> domains.remove(name, () -> sets.requireUnchanged(set)))));
        } else {
            List<String> staying = inForce.values().stream()
                    .filter(other -> other.scope().kind() == Scope.Kind.DOMAIN
                            && other.database().equals(name)
                            && !isPruned(other))
                    .map(other -> other.scope().name())
                    .toList();
            if (staying.isEmpty()) {
                steps.add(new Step(
                        Phase.DATABASE_DELETED,
                        FileChange.of("delete", scope, null, set, List.of()),
                        new Action(DELETED, () -> databases.remove(name, () -> sets.requireUnchanged(set)))));
            } else {
                faults.add(Fault.at(
                                "",
                                "database '" + name + "' was removed from the files but cannot be deleted: "
                                        + "it is still used by " + String.join(", ", staying),
                                "the database in the files, or released: ./headgate apply --release database/" + name)
                        .foundAt(terms.name()));
            }
        }
    }

    /** Warns that such a set may be another team's, because no source was declared when it was applied. */
    private void warnIfOfTheSameName(InForce set) {
        if (set.owner() == null || set.owner().declared() || isInFiles(set)) {
            return;
        }
        String name = Source.of(set.owner()).name();
        if (wanted.sources().stream().anyMatch(source -> source.name().equals(name))) {
            warnings.add(set.scope().kind().label() + " " + set.scope().name() + " was applied from files named " + name
                    + " that declared no source, and is not in these files; --prune leaves it alone");
        }
    }

    private void warnIfUnreachable(Step step) {
        FileChange change = step.change();
        String database = change.kind().equals(Scope.Kind.DATABASE.label()) ? change.name() : databaseOf(change.name());
        if (!databases.exists(database) || !tried.add(database)) {
            return;
        }
        DatabaseJson live = databases.get(database);
        if (!live.reachable()) {
            warnings.add("database " + database + " cannot be reached now: " + live.unreachableReason()
                    + "; what is changed there takes effect when it is reached again");
        }
    }

    private String databaseOf(String domain) {
        WantedDomain asked = wanted.domains().get(domain);
        return asked != null
                ? asked.database()
                : Objects.requireNonNull(inForce.get(Scope.domain(domain))).database();
    }

    /** Whether the files change the set. Then it must belong to them, to nobody, or to a file of their name. */
    private boolean claims(Source source, InForce before, Place place, List<FileDifference> differences) {
        Owner owner = source.owner();
        Owner former = before.owner();
        if (differences.isEmpty() && !source.declared()) {
            return false;
        }
        if (owner.equals(former)) {
            return !differences.isEmpty();
        }
        if (former != null && !mayFollow(source, Source.of(former))) {
            faults.add(place.fault(Fault.at(
                    "",
                    before.scope().name() + " is managed by "
                            + Source.of(former).told() + ", not by " + source.told(),
                    "the same source, here or as --source, or released first: ./headgate apply --release "
                            + before.scope().label())));
            return false;
        }
        differences.add(
                former != null && former.name().equals(owner.name())
                        ? new FileDifference("/source", null, source.name())
                        : new FileDifference("/managedBy", former == null ? null : former.name(), owner.name()));
        return true;
    }

    /** Whether files with a declared source may take a set that was applied under their file name before. */
    private boolean mayFollow(Source source, Source former) {
        return source.declared()
                && !former.declared()
                && (former.name().equals(source.name()) || former.name().equals(terms.name()));
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

    private void unlessUnreachable(Place place, Runnable attempt) {
        try {
            attempt.run();
        } catch (ProblemException e) {
            if (!e.faults().isEmpty()) {
                e.faults().forEach(fault -> faults.add(place.fault(fault)));
                return;
            }
            faults.add(place.fault(Fault.at("/host", "cannot be used: " + e.getMessage())));
        }
    }

    private void password(WantedDatabase database, boolean exists, List<FileDifference> differences) {
        String password = database.request().password();
        if (password != null
                && !(exists && databases.hasPassword(database.request().name(), password))) {
            differences.add(
                    new FileDifference("/password", exists ? "as kept" : null, "from " + database.passwordFrom()));
        }
    }

    private void setDifferences(InForce before, PolicySetRequest set, List<FileDifference> differences) {
        sets.differences(before.scope(), before.set(), set)
                .forEach(difference -> differences.add(
                        new FileDifference("/policySet" + difference.pointer(), difference.from(), difference.to())));
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
        String comment = set.comment() == null ? from : from + ": " + set.comment();
        return new PolicySetRequest(
                set.policies(), set.whenExhausted(), comment.substring(0, Math.min(comment.length(), 500)));
    }

    private static PolicySetRequest bare(PolicySetRequest set) {
        return new PolicySetRequest(set.policies(), set.whenExhausted(), null);
    }

    private List<FileDifference> between(Object from, Object to, String prefix) {
        return sets.differences(from, to).stream()
                .map(difference ->
                        new FileDifference(prefix + difference.pointer(), difference.from(), difference.to()))
                .toList();
    }

    /** The budget of a domain's database after the change; null, with a fault, if there will be no such database. */
    private @Nullable Integer budget(String database, Place place) {
        Integer budget = budget(database);
        if (budget == null) {
            faults.add(place.fault(
                    Fault.at("/database", "there is no database '" + database + "'", String.join(", ", known()))));
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
        return kept == null || isPruned(kept)
                ? null
                : (Integer) databases.get(database).budget();
    }

    private List<String> known() {
        List<String> names = new ArrayList<>(wanted.databases().keySet());
        inForce.values().stream()
                .filter(set -> set.scope().kind() == Scope.Kind.DATABASE && !isPruned(set))
                .map(set -> set.scope().name())
                .forEach(names::add);
        return names.stream().distinct().sorted().toList();
    }

    private static Map<String, Object> shown(DatabaseCreateRequest request) {
        return shown(
                request.host(),
                request.port(),
                request.database(),
                request.user(),
                request.sslModeInForce(),
                request.budget());
    }

    private static Map<String, Object> shown(DatabaseJson kept) {
        return shown(kept.host(), kept.port(), kept.database(), kept.user(), kept.sslMode(), kept.budget());
    }

    private static Map<String, Object> shown(
            String host, int port, String database, String user, String sslMode, int budget) {
        return Map.of(
                "host", host, "port", port, "database", database, "user", user, "sslMode", sslMode, "budget", budget);
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
