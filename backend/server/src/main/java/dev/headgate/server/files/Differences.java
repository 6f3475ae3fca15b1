package dev.headgate.server.files;

import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.domains.DomainJson;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.files.Wanted.WantedDatabase;
import dev.headgate.server.files.Wanted.WantedDomain;
import dev.headgate.server.policies.Difference;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.ManagedSets.InForce;
import dev.headgate.server.policies.PolicySetRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What databases and domains in files differ in from those in force, by leaf. A password is told by its place, never itself. */
record Differences(ManagedSets sets) {

    // ---- databases

    /** Of a database that there is not yet. */
    List<FileDifference> ofNew(WantedDatabase database, PolicySetRequest set) {
        List<FileDifference> differences = new ArrayList<>(between(Map.of(), shown(database.request()), ""));
        if (database.request().password() != null) {
            differences.add(password(database, null));
        }
        if (database.set() != null) {
            differences.add(ofNew(set));
        }
        return differences;
    }

    /**
     * The settings of a database.
     *
     * @param samePassword whether the kept one is the files'
     */
    List<FileDifference> of(DatabaseJson kept, WantedDatabase database, boolean samePassword) {
        List<FileDifference> differences = new ArrayList<>(between(shown(kept), shown(database.request()), ""));
        if (database.request().password() != null && !samePassword) {
            differences.add(password(database, "as kept"));
        }
        return differences;
    }

    private static FileDifference password(WantedDatabase database, @Nullable String before) {
        return new FileDifference("/password", before, "from " + database.passwordFrom());
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

    // ---- domains

    /** Of a domain that there is not yet. */
    List<FileDifference> ofNew(WantedDomain domain, PolicySetRequest set) {
        List<FileDifference> differences = new ArrayList<>();
        differences.add(new FileDifference("/database", null, domain.database()));
        if (!domain.description().isEmpty()) {
            differences.add(new FileDifference("/description", null, domain.description()));
        }
        if (!domain.labels().isEmpty()) {
            differences.add(new FileDifference("/labels", null, domain.labels()));
        }
        if (!domain.wire().equals(DomainWireJson.DEFAULT)) {
            differences.add(new FileDifference("/wire", null, domain.wire()));
        }
        if (!domain.sql().equals(DomainSqlJson.DEFAULT)) {
            differences.add(new FileDifference("/sql", null, domain.sql()));
        }
        if (domain.set() != null) {
            differences.add(ofNew(set));
        }
        return differences;
    }

    /** The settings of a domain. */
    List<FileDifference> of(DomainJson kept, WantedDomain domain) {
        List<FileDifference> differences = new ArrayList<>();
        if (!kept.description().equals(domain.description())) {
            differences.add(new FileDifference("/description", kept.description(), domain.description()));
        }
        differences.addAll(between(kept.labels(), domain.labels(), "/labels"));
        differences.addAll(between(kept.wire(), domain.wire(), "/wire"));
        differences.addAll(between(kept.sql(), domain.sql(), "/sql"));
        return differences;
    }

    // ---- policy sets

    List<FileDifference> ofSet(InForce before, PolicySetRequest set) {
        return under("/policySet", sets.differences(before.scope(), before.set(), set));
    }

    private static FileDifference ofNew(PolicySetRequest set) {
        return new FileDifference("/policySet", null, new PolicySetRequest(set.policies(), set.whenExhausted(), null));
    }

    private List<FileDifference> between(Object from, Object to, String prefix) {
        return under(prefix, sets.differences(from, to));
    }

    private static List<FileDifference> under(String prefix, List<Difference> differences) {
        return differences.stream()
                .map(difference ->
                        new FileDifference(prefix + difference.pointer(), difference.from(), difference.to()))
                .toList();
    }
}
