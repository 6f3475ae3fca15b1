package dev.headgate.server.files;

import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.DomainJson;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.policies.PolicySetRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Writes the current state as a policy file without passwords. Applying that file changes nothing. */
@Component
final class Export {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final JsonMapper json;
    private final RequestMemory memory;

    Export(Databases databases, Domains domains, ManagedSets sets, JsonMapper json, RequestMemory memory) {
        this.memory = memory;
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.json = json;
    }

    /** All databases and domains: one document for those without a declared source, then one for each source. */
    String everything(Progress progress) {
        Map<Scope, String> sources = sources();
        List<DatabaseJson> allDatabases = databases.list();
        List<DomainJson> allDomains = domains.list();
        int parts = allDatabases.size() + allDomains.size();
        AtomicInteger written = new AtomicInteger();
        Runnable each = () -> progress.at(written.incrementAndGet(), parts);
        List<String> documents = new ArrayList<>();
        Stream.concat(Stream.of(""), sources.values().stream().distinct().sorted())
                .map(source -> write(
                        source,
                        allDatabases.stream()
                                .filter(one -> source.equals(sources.getOrDefault(Scope.database(one.name()), "")))
                                .toList(),
                        allDomains.stream()
                                .filter(one -> source.equals(sources.getOrDefault(Scope.domain(one.name()), "")))
                                .toList(),
                        each))
                .forEach(documents::add);
        if (documents.size() > 1 && documents.getFirst().equals(head(""))) {
            documents.removeFirst();
        }
        return held(String.join("---\n", documents));
    }

    /** The declared sources of the scopes that have one. */
    private Map<Scope, String> sources() {
        return sets.all().stream()
                .filter(set -> set.owner() != null && set.owner().declared())
                .collect(Collectors.toMap(
                        ManagedSets.InForce::scope,
                        set -> Source.of(Objects.requireNonNull(set.owner())).name()));
    }

    /** One domain or one database. @throws ProblemException not-found */
    String one(Scope scope) {
        String source = sources().getOrDefault(scope, "");
        return held(
                switch (scope.kind()) {
                    case DOMAIN -> write(source, List.of(), List.of(domains.get(scope.name())), () -> {});
                    case DATABASE -> write(source, List.of(databases.get(scope.name())), List.of(), () -> {});
                });
    }

    /** Until the request is answered: the text, and its bytes. */
    private String held(String yaml) {
        memory.hold(2L * yaml.length(), "its answer");
        return yaml;
    }

    private static String head(String source) {
        return "apiVersion: " + FilesReader.API_VERSION + "\n"
                + (source.isEmpty() ? "" : text(Map.of("source", source)));
    }

    /**
     * @param source empty for none
     * @param each runs after each database and domain
     */
    private String write(String source, List<DatabaseJson> someDatabases, List<DomainJson> someDomains, Runnable each) {
        StringBuilder yaml = new StringBuilder(head(source));
        if (!someDatabases.isEmpty()) {
            yaml.append("databases:\n");
            someDatabases.forEach(database -> {
                yaml.append(database(database));
                each.run();
            });
        }
        if (!someDomains.isEmpty()) {
            yaml.append("domains:\n");
            someDomains.forEach(domain -> {
                yaml.append(domain(domain));
                each.run();
            });
        }
        return yaml.toString();
    }

    private String database(DatabaseJson database) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", database.name());
        fields.put("host", database.host());
        fields.put("port", database.port());
        fields.put("database", database.database());
        fields.put("user", database.user());
        String head = item(fields);
        if (databases.hasPassword(database.name())) {
            head += "    # passwordEnv: " + variable(database.name()) + "  # the password is not exported\n";
        }
        Map<String, Object> tail = new LinkedHashMap<>();
        tail.put("sslMode", database.sslMode());
        tail.put("budget", database.budget());
        addSet(Scope.database(database.name()), tail);
        return head + indented(tail);
    }

    private String domain(DomainJson domain) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", domain.name());
        fields.put("database", domain.database());
        if (!domain.description().isEmpty()) {
            fields.put("description", domain.description());
        }
        if (!domain.labels().isEmpty()) {
            fields.put("labels", domain.labels());
        }
        if (!domain.wire().equals(DomainWireJson.DEFAULT)) {
            fields.put("wire", json.convertValue(domain.wire(), OBJECT));
        }
        if (!domain.sql().equals(DomainSqlJson.DEFAULT)) {
            fields.put("sql", json.convertValue(domain.sql(), OBJECT));
        }
        addSet(Scope.domain(domain.name()), fields);
        return item(fields);
    }

    private void addSet(Scope scope, Map<String, Object> fields) {
        sets.find(scope)
                .filter(found -> found.revision() > 0)
                .map(ManagedSets.InForce::set)
                .filter(set ->
                        scope.kind() == Scope.Kind.DOMAIN || !set.policies().isEmpty() || set.whenExhausted() != null)
                .ifPresent(set -> fields.put("policySet", plain(set, json)));
    }

    /** The fields of a set in a file. */
    static @Nullable Map<String, Object> plain(PolicySetRequest set, JsonMapper json) {
        return json.convertValue(new PolicySetRequest(set.policies(), set.whenExhausted(), null), OBJECT);
    }

    /** "shop-eu" -> "SHOP_EU_PASSWORD". */
    private static String variable(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_') + "_PASSWORD";
    }

    private static String item(Map<String, Object> fields) {
        String text = indented(fields);
        return "  - " + text.substring(4);
    }

    /** A block that is indented by four columns: the fields of an item in a list that is indented by two. */
    private static String indented(Map<String, Object> fields) {
        List<String> lines = new ArrayList<>();
        text(fields).lines().forEach(line -> lines.add(line.isEmpty() ? "" : "    " + line));
        return String.join("\n", lines) + "\n";
    }

    /** The dashboard writes a set in the same way: frontend/src/features/policies/setText.ts. */
    static String text(Map<String, Object> fields) {
        return dump().dumpToString(fields);
    }

    private static Dump dump() {
        return new Dump(DumpSettings.builder()
                .setDefaultFlowStyle(FlowStyle.BLOCK)
                .setIndent(2)
                .setIndicatorIndent(2)
                .setIndentWithIndicator(true)
                .setSplitLines(false)
                .build());
    }
}
