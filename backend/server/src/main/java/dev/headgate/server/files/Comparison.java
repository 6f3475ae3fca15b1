package dev.headgate.server.files;

import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.databases.DatabasePatchRequest;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.DomainCreateRequest;
import dev.headgate.server.domains.DomainJson;
import dev.headgate.server.domains.DomainPatchRequest;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.domains.DomainWireRequest;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.files.Step.Phase;
import dev.headgate.server.files.Wanted.Place;
import dev.headgate.server.files.Wanted.WantedDatabase;
import dev.headgate.server.files.Wanted.WantedDomain;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.ManagedSets.InForce;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What files ask for beside what there is: finds every fault that is left and, if there is none, the steps from one to the
 * other. Made for one answer and used by one thread; blocks while databases are connected to.
 */
final class Comparison {

    private static final PolicySetRequest NOTHING = new PolicySetRequest(List.of(), null, null);

    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final Wanted wanted;
    private final String source;
    private final String owner;
    private final boolean prune;

    private final Map<Scope, InForce> inForce = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private final List<String> leftover = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();

    Comparison(Databases databases, Domains domains, ManagedSets sets, Wanted wanted, String source, boolean prune) {
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.wanted = wanted;
        this.source = source;
        this.owner = Files.owner(source);
        this.prune = prune;
        sets.all().forEach(set -> inForce.put(set.scope(), set));
        compare();
    }

    List<Fault> faults() {
        return faults;
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
                .filter(set -> !wanted.domains().containsKey(set.scope().name()) && !isPruned(set))
                .forEach(set -> promised.merge(set.database(), set.guaranteed(), Integer::sum));
        wanted.databases().values().forEach(database -> covers(database, promised));
        wanted.domains().values().forEach(domain -> domain(domain, promised));
        inForce.values().stream().filter(this::isLeft).forEach(this::left);
    }

    private void database(WantedDatabase database) {
        DatabaseCreateRequest request = database.request();
        Scope scope = Scope.database(request.name());
        Place place = database.place();
        InForce before = inForce.get(scope);
        if (!mayTake(before, place)) {
            return;
        }
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
                    FileChange.of("create", scope, place.toString(), differences),
                    () -> {
                        databases.create(request);
                        put(scope, 0, NOTHING, set.request());
                    }));
            return;
        }
        DatabaseJson kept = databases.get(request.name());
        differences.addAll(between(shown(kept), shown(request), ""));
        password(database, true, differences);
        boolean retargeted = !differences.isEmpty();
        DatabasePatchRequest patch = patch(request);
        if (retargeted) {
            unlessUnreachable(place, () -> databases.tryOut(request.name(), patch));
        }
        setDifferences(before, set.request(), differences);
        if (!differences.isEmpty()) {
            boolean narrowed = request.budget() < kept.budget();
            steps.add(new Step(
                    narrowed ? Phase.DATABASE_NARROWED : Phase.DATABASE_MADE_OR_WIDENED,
                    FileChange.of("change", scope, place.toString(), differences),
                    () -> {
                        if (retargeted) {
                            databases.change(request.name(), patch);
                        }
                        put(scope, before.revision(), before.set(), set.request());
                    }));
        }
    }

    /** What is guaranteed to domains that the files do not speak of must fit into the budget that they ask for. */
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
        Integer budget = budget(domain.database());
        if (budget == null) {
            faults.add(place.fault(Fault.at(
                    "/database", "there is no database '" + domain.database() + "'", String.join(", ", known()))));
        } else if (before != null && !before.database().equals(domain.database())) {
            faults.add(place.fault(Fault.at(
                    "/database",
                    "cannot be '" + domain.database() + "': " + domain.name() + " is on " + before.database()
                            + ", and a domain is not moved; delete it first",
                    before.database())));
        }
        if (!mayTake(before, place)) {
            return;
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
            if (domain.set() != null) {
                differences.add(new FileDifference("/policySet", null, bare(set.request())));
            }
            steps.add(new Step(
                    Phase.DOMAIN_MADE_OR_WIDENED, FileChange.of("create", scope, place.toString(), differences), () -> {
                        domains.create(new DomainCreateRequest(
                                domain.name(),
                                domain.database(),
                                domain.description(),
                                DomainWireRequest.of(domain.wire()),
                                domain.set() == null ? null : commented(set.request())));
                        sets.take(owner, scope, domain.set() == null ? 0 : 1);
                    }));
            return;
        }
        DomainJson kept = domains.get(domain.name());
        if (!kept.description().equals(domain.description())) {
            differences.add(new FileDifference("/description", kept.description(), domain.description()));
        }
        differences.addAll(between(kept.wire(), domain.wire(), "/wire"));
        boolean itself = !differences.isEmpty();
        setDifferences(before, set.request(), differences);
        if (!differences.isEmpty()) {
            steps.add(new Step(
                    set.guaranteed() <= before.guaranteed() ? Phase.SET_NARROWED : Phase.DOMAIN_MADE_OR_WIDENED,
                    FileChange.of("change", scope, place.toString(), differences),
                    () -> {
                        if (itself) {
                            domains.change(
                                    domain.name(),
                                    new DomainPatchRequest(domain.description(), DomainWireRequest.of(domain.wire())));
                        }
                        put(scope, before.revision(), before.set(), set.request());
                    }));
        }
    }

    private boolean isLeft(InForce set) {
        return owner.equals(set.owner())
                && (set.scope().kind() == Scope.Kind.DOMAIN
                        ? !wanted.domains().containsKey(set.scope().name())
                        : !wanted.databases().containsKey(set.scope().name())
                                && !wanted.faulty().contains(set.scope().name()));
    }

    private boolean isPruned(InForce set) {
        return prune && isLeft(set);
    }

    private void left(InForce set) {
        Scope scope = set.scope();
        String name = scope.name();
        if (!prune) {
            leftover.add(scope.kind().label() + " " + name);
        } else if (scope.kind() == Scope.Kind.DOMAIN) {
            steps.add(new Step(
                    Phase.DOMAIN_DELETED, FileChange.of("delete", scope, null, List.of()), () -> domains.remove(name)));
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
                        FileChange.of("delete", scope, null, List.of()),
                        () -> databases.remove(name)));
            } else {
                faults.add(Fault.at(
                                "",
                                "database '" + name + "' was removed from the files but cannot be deleted: "
                                        + "it is still used by " + String.join(", ", staying),
                                "the database in the files, or released: ./headgate apply --release database/" + name)
                        .foundAt(source));
            }
        }
    }

    private boolean mayTake(@Nullable InForce before, Place place) {
        if (before == null || before.owner() == null || before.owner().equals(owner)) {
            return true;
        }
        faults.add(place.fault(Fault.at(
                "",
                before.scope().name() + " is managed by " + before.owner() + ", not by " + owner,
                "the same --source, or released first: ./headgate apply --release "
                        + before.scope().label())));
        return false;
    }

    private Draft check(
            Scope scope, String database, int budget, int promised, @Nullable PolicySetRequest set, Place place) {
        Draft checked = sets.check(scope, database, budget, promised, set);
        checked.faults().forEach(fault -> faults.add(place.fault(fault.under("/policySet"))));
        checked.warnings().forEach(warning -> warnings.add(scope.kind().label() + " " + scope.name() + ": " + warning));
        return checked;
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
        if (!owner.equals(before.owner())) {
            differences.add(new FileDifference("/managedBy", before.owner(), owner));
        }
    }

    /** Puts a set in force unless it is, and makes it the files' own in either case. */
    private void put(Scope scope, long basedOn, PolicySetRequest before, PolicySetRequest set) {
        if (sets.differences(scope, before, set).isEmpty()) {
            sets.take(owner, scope, basedOn);
        } else {
            sets.put(owner, scope, basedOn, commented(set));
        }
    }

    private PolicySetRequest commented(PolicySetRequest set) {
        String comment = set.comment() == null ? "From " + source : "From " + source + ": " + set.comment();
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

    /** The budget that the database will have; null if there will be no such database. */
    private @Nullable Integer budget(String database) {
        WantedDatabase planned = wanted.databases().get(database);
        if (planned != null) {
            return planned.request().budget();
        }
        if (wanted.faulty().contains(database)) {
            return Integer.MAX_VALUE; // that it is faulty is told already
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
                Objects.requireNonNullElse(request.sslMode(), "prefer"),
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
                Objects.requireNonNullElse(request.sslMode(), "prefer"),
                request.budget());
    }
}
