package dev.headgate.server.files;

import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.domains.DomainCreateRequest;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.domains.DomainSqlRequest;
import dev.headgate.server.domains.DomainWireJson;
import dev.headgate.server.domains.DomainWireRequest;
import dev.headgate.server.domains.Labels;
import dev.headgate.server.files.Wanted.Part;
import dev.headgate.server.files.Wanted.Place;
import dev.headgate.server.files.Wanted.WantedDatabase;
import dev.headgate.server.files.Wanted.WantedDomain;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.JsonFaults;
import jakarta.validation.Validator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads files in the shapes of the REST requests: a database is the body of {@code POST /databases} with a policy set
 * and without a password, a domain is the body of {@code POST /domains}. Values must satisfy the rules of those requests.
 */
@Component
final class FilesReader {

    static final String API_VERSION = "headgate/v1";

    private final JsonMapper json;
    private final Validator validator;
    private final Passwords passwords;

    FilesReader(JsonMapper json, Validator validator, Passwords passwords) {
        this.json = json;
        this.validator = validator;
        this.passwords = passwords;
    }

    /**
     * @param memory called with the bytes for the values before they are read; an exception ends the reading
     * @param faults receives every fault with its place; the faulty object is missing in the result, or is one of its parts
     */
    Wanted read(List<SourceFile> files, Terms terms, LongConsumer memory, Faults faults) {
        Wanted wanted = new Wanted();
        Expansion expansion = new Expansion(memory);
        StreamReadConstraints asJson = json.tokenStreamFactory().streamReadConstraints();
        int documents = 0;
        for (SourceFile file : files) {
            for (Document document : YamlReader.read(file, asJson, expansion, faults)) {
                if (isSettings(document)) {
                    continue;
                }
                documents++;
                read(document, terms, wanted, faults);
            }
        }
        if (documents == 0 && faults.isEmpty()) {
            faults.add(Fault.at("", "has no document", "apiVersion: " + API_VERSION));
        }
        return wanted;
    }

    /** Whether a document has the service's own settings, which may be in the same file. */
    private static boolean isSettings(Document document) {
        return document.root().isObject()
                && document.root().has("headgate")
                && !document.root().has("apiVersion");
    }

    private void read(Document document, Terms terms, Wanted wanted, Faults faults) {
        Fields fields = Fields.of(document, "", document.root(), faults);
        if (fields == null) {
            return;
        }
        String version = fields.text("apiVersion");
        if (!API_VERSION.equals(version)) {
            fields.fault("apiVersion", version == null ? "is missing" : "cannot be '" + version + "'", API_VERSION);
        }
        Source source = source(fields, terms);
        wanted.sources().add(source);
        List<JsonNode> databases = fields.array("databases");
        for (int i = 0; i < databases.size(); i++) {
            database(new Place(document, "/databases/" + i), databases.get(i), source, terms.origin(), wanted, faults);
        }
        List<JsonNode> domains = fields.array("domains");
        for (int i = 0; i < domains.size(); i++) {
            domain(new Place(document, "/domains/" + i), domains.get(i), source, wanted, faults);
        }
        fields.complete();
    }

    private static Source source(Fields fields, Terms terms) {
        String declared = fields.text("source");
        if (declared != null && !declared.matches(Source.NAMES)) {
            fields.fault("source", "cannot be '" + declared + "'", Source.ALLOWED);
        } else if (declared != null && terms.source() != null && !declared.equals(terms.source())) {
            fields.fault(
                    "source",
                    "is '" + declared + "', but --source is '" + terms.source() + "'",
                    "the same, or one of them");
        }
        Source source = terms.sourceOf(declared);
        if (terms.prune() && !source.declared()) {
            fields.fault(
                    "source",
                    "is missing: --prune deletes what its source declared earlier and does not declare now, and the name of a"
                            + " file may be that of another team's",
                    "a name such as team-a, here or as --source team-a");
        }
        return source;
    }

    private void database(Place place, JsonNode node, Source source, Origin origin, Wanted wanted, Faults faults) {
        Fields fields = Fields.of(place.document(), place.pointer(), node, faults);
        if (fields == null) {
            return;
        }
        Class<?> request = DatabaseCreateRequest.class;
        String name = fields.text("name");
        String host = fields.text("host");
        Integer port = fields.whole("port");
        String database = fields.text("database");
        String user = fields.text("user");
        String sslMode = fields.text("sslMode");
        Integer budget = fields.whole("budget");
        fields.allow("name", name, request, validator);
        fields.allow("host", host, request, validator);
        fields.allow("port", port, request, validator);
        fields.allow("database", database, request, validator);
        fields.allow("user", user, request, validator);
        fields.allow("sslMode", sslMode, request, validator);
        fields.allow("budget", budget, request, validator);
        @Nullable Password password = password(fields, origin, wanted);
        PolicySetRequest set = policySet(place, fields.object("policySet"), faults);
        boolean once = name == null || first(name, wanted.databases().get(name), fields);
        if (fields.complete() && once) {
            wanted.databases()
                    .put(
                            Objects.requireNonNull(name),
                            new WantedDatabase(
                                    new DatabaseCreateRequest(
                                            name,
                                            Objects.requireNonNull(host),
                                            Objects.requireNonNull(port),
                                            Objects.requireNonNull(database),
                                            Objects.requireNonNull(user),
                                            password == null ? null : password.value(),
                                            sslMode,
                                            Objects.requireNonNull(budget)),
                                    password == null ? null : password.from(),
                                    set,
                                    source,
                                    place));
        } else {
            String known = name == null ? "" : name;
            wanted.parts()
                    .add(new Part(
                            Scope.database(known), known, budget == null ? Integer.MAX_VALUE : budget, set, place));
        }
    }

    private void domain(Place place, JsonNode node, Source source, Wanted wanted, Faults faults) {
        Fields fields = Fields.of(place.document(), place.pointer(), node, faults);
        if (fields == null) {
            return;
        }
        Class<?> request = DomainCreateRequest.class;
        String name = fields.text("name");
        String database = fields.text("database");
        String description = fields.text("description");
        fields.allow("name", name, request, validator);
        fields.allow("database", database, request, validator);
        fields.allow("description", description, request, validator);
        SortedMap<String, String> labels = labels(place, fields.object("labels"), faults);
        DomainWireJson wire = wire(place, fields.object("wire"), faults);
        DomainSqlJson sql = sql(place, fields.object("sql"), faults);
        PolicySetRequest set = policySet(place, fields.object("policySet"), faults);
        boolean once = name == null || first(name, wanted.domains().get(name), fields);
        if (fields.complete() && once) {
            wanted.domains()
                    .put(
                            Objects.requireNonNull(name),
                            new WantedDomain(
                                    name,
                                    Objects.requireNonNull(database),
                                    description == null ? "" : description,
                                    labels,
                                    wire,
                                    sql,
                                    set,
                                    source,
                                    place));
        } else {
            wanted.parts()
                    .add(new Part(Scope.domain(name == null ? "" : name), database, Integer.MAX_VALUE, set, place));
        }
    }

    /** None where one of them has a fault. */
    private static SortedMap<String, String> labels(Place domain, @Nullable JsonNode node, Faults faults) {
        Fields fields = node == null ? null : Fields.of(domain.document(), domain.pointer() + "/labels", node, faults);
        if (fields == null) {
            return Labels.sorted(Map.of());
        }
        Map<String, @Nullable String> labels = fields.texts();
        List<Fault> found = Labels.faults(labels);
        found.forEach(fault -> faults.add(domain.fault(fault)));
        return found.isEmpty() ? Labels.sorted(labels) : Labels.sorted(Map.of());
    }

    /** Omitted settings have their defaults. */
    private DomainWireJson wire(Place domain, @Nullable JsonNode node, Faults faults) {
        Fields fields = node == null ? null : Fields.of(domain.document(), domain.pointer() + "/wire", node, faults);
        if (fields == null) {
            return DomainWireJson.DEFAULT;
        }
        Class<?> request = DomainWireRequest.class;
        String mode = fields.text("mode");
        Integer maxClients = fields.whole("maxClients");
        String sessionState = fields.text("sessionState");
        String unnamedStatements = fields.text("unnamedStatements");
        fields.allow("mode", mode, request, validator);
        fields.allow("maxClients", maxClients, request, validator);
        fields.allow("sessionState", sessionState, request, validator);
        fields.allow("unnamedStatements", unnamedStatements, request, validator);
        fields.complete();
        return DomainWireJson.DEFAULT.with(new DomainWireRequest(mode, maxClients, sessionState, unnamedStatements));
    }

    /** Omitted settings have their defaults. */
    private DomainSqlJson sql(Place domain, @Nullable JsonNode node, Faults faults) {
        Fields fields = node == null ? null : Fields.of(domain.document(), domain.pointer() + "/sql", node, faults);
        if (fields == null) {
            return DomainSqlJson.DEFAULT;
        }
        Class<?> request = DomainSqlRequest.class;
        String access = fields.text("access");
        Long maxRows = fields.large("maxRows");
        Long maxBytes = fields.large("maxBytes");
        Integer timeoutMs = fields.whole("timeoutMs");
        fields.allow("access", access, request, validator);
        fields.allow("maxRows", maxRows, request, validator);
        fields.allow("maxBytes", maxBytes, request, validator);
        fields.allow("timeoutMs", timeoutMs, request, validator);
        fields.complete();
        return DomainSqlJson.DEFAULT.with(new DomainSqlRequest(access, maxRows, maxBytes, timeoutMs));
    }

    private static boolean first(String name, @Nullable Record earlier, Fields fields) {
        if (earlier == null) {
            return true;
        }
        Place place = earlier instanceof WantedDatabase database ? database.place() : ((WantedDomain) earlier).place();
        fields.fault("name", "'" + name + "' is already defined at " + place, "each name once");
        return false;
    }

    /** @param from the place of the password, for people */
    private record Password(String value, String from) {
        @Override
        public String toString() {
            return from;
        }
    }

    private @Nullable Password password(Fields fields, Origin origin, Wanted wanted) {
        if (fields.has("password")) {
            fields.fault("password", "must not be in a file", "passwordEnv or passwordFile");
        }
        String variable = fields.text("passwordEnv");
        String file = fields.text("passwordFile");
        if (variable != null && file != null) {
            fields.fault("passwordFile", "is there beside passwordEnv", "one of them");
            return null;
        }
        String field = variable != null ? "passwordEnv" : "passwordFile";
        try {
            if (variable != null) {
                return new Password(passwords.fromEnvironment(variable, origin), "the environment: " + variable);
            }
            return file == null ? null : new Password(passwords.fromFile(file, origin), "the file " + file);
        } catch (Passwords.NotFoundException e) {
            if (e instanceof Passwords.ForbiddenException) {
                wanted.forbidden().add(field + " " + (variable != null ? variable : file));
            }
            fields.fault(field, String.valueOf(e.getMessage()), e.allowed());
            return null;
        }
    }

    /**
     * Checks only the shape; the policies package checks the parameters. Values of the wrong shape are left out, so that the rest is
     * checked nevertheless.
     */
    private @Nullable PolicySetRequest policySet(Place owner, @Nullable JsonNode node, Faults faults) {
        Document document = owner.document();
        String at = owner.pointer() + "/policySet";
        Fields fields = node == null ? null : Fields.of(document, at, node, faults);
        if (fields == null) {
            return null;
        }
        ArrayNode policies = json.createArrayNode();
        List<JsonNode> items = fields.array("policies");
        for (int i = 0; i < items.size(); i++) {
            Fields policy = Fields.of(document, at + "/policies/" + i, items.get(i), faults);
            if (policy != null) {
                policy.text("plugin");
                policy.text("version");
                policy.object("parameters");
                policy.complete();
            }
            policies.add(policy == null ? NullNode.getInstance() : policy.readable());
        }
        JsonNode whenExhausted = fields.object("whenExhausted");
        Fields exhausted =
                whenExhausted == null ? null : Fields.of(document, at + "/whenExhausted", whenExhausted, faults);
        if (exhausted != null) {
            exhausted.text("mode");
            exhausted.whole("timeoutMs");
            exhausted.whole("depth");
            exhausted.complete();
        }
        fields.text("comment");
        fields.complete();
        ObjectNode readable = fields.readable();
        if (readable.has("policies")) {
            readable.set("policies", policies);
        }
        if (exhausted != null) {
            readable.set("whenExhausted", exhausted.readable());
        }
        try {
            return json.treeToValue(readable, PolicySetRequest.class);
        } catch (JacksonException e) {
            faults.add(document.locate(JsonFaults.of(e).under(at)));
            return null;
        }
    }
}
