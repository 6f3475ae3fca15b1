package dev.headgate.server.files;

import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The readable content of policy files.
 *
 * @param databases by name, in the order of the files
 * @param domains likewise
 * @param parts the readable parts of faulty databases and domains, which are checked nevertheless
 * @param sources of the documents
 * @param forbidden passwords that the files may not name ("passwordEnv PATH")
 */
record Wanted(
        Map<String, WantedDatabase> databases,
        Map<String, WantedDomain> domains,
        List<Part> parts,
        Set<Source> sources,
        Set<String> forbidden) {

    Wanted() {
        this(
                new LinkedHashMap<>(),
                new LinkedHashMap<>(),
                new ArrayList<>(),
                new LinkedHashSet<>(),
                new LinkedHashSet<>());
    }

    /** The only declared source, or else the given name. */
    String sourceOr(String name) {
        return sources.size() == 1 ? sources.iterator().next().name() : name;
    }

    Optional<Part> part(Scope scope) {
        return parts.stream().filter(part -> part.scope().equals(scope)).findFirst();
    }

    /** A place in a document. */
    record Place(Document document, String pointer) {

        Fault fault(Fault relative) {
            return document.locate(relative.under(pointer));
        }

        @Override
        public String toString() {
            return document.place(pointer);
        }
    }

    /**
     * A database.
     *
     * @param request without a password if the files name none
     * @param passwordFrom where the password comes from, for people; null if the files name none
     */
    record WantedDatabase(
            DatabaseCreateRequest request,
            @Nullable String passwordFrom,
            @Nullable PolicySetRequest set,
            Source source,
            Place place) {}

    /** A domain. */
    record WantedDomain(
            String name,
            String database,
            String description,
            SortedMap<String, String> labels,
            DomainWireJson wire,
            DomainSqlJson sql,
            @Nullable PolicySetRequest set,
            Source source,
            Place place) {}

    /**
     * A faulty database or domain.
     *
     * @param scope its name may be invalid
     * @param database it is on, or is; null if that could not be read
     * @param budget of a database; the largest integer if it could not be read
     */
    record Part(
            Scope scope,
            @Nullable String database,
            int budget,
            @Nullable PolicySetRequest set,
            Place place) {}
}
