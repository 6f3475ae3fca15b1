package dev.headgate.server.files;

import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What files ask for, as far as it could be read.
 *
 * @param databases by name, in the order of the files
 * @param domains likewise
 * @param faulty names of databases that are in the files and could not be read
 * @param forbidden passwords that the files named and may not ("passwordEnv PATH")
 */
record Wanted(
        Map<String, WantedDatabase> databases,
        Map<String, WantedDomain> domains,
        Set<String> faulty,
        Set<String> forbidden) {

    Wanted() {
        this(new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
    }

    /** Where something is written. */
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
            Place place) {}

    /** A domain. */
    record WantedDomain(
            String name,
            String database,
            String description,
            DomainWireJson wire,
            @Nullable PolicySetRequest set,
            Place place) {}
}
