package dev.headgate.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Formats the output of {@code status} from the service's JSON (docs/api.md). A missing field shows as {@code -}. */
final class StatusPage {

    private static final String NOTHING = "-";

    private StatusPage() {}

    static String of(
            String address, JsonNode session, JsonNode memory, List<JsonNode> databases, List<JsonNode> domains) {
        StringBuilder page = new StringBuilder();
        page.append(
                "Headgate %s, node %s, at %s%n".formatted(text(session, "version"), text(session, "node"), address));
        page.append(memory(memory)).append('\n');
        page.append(databases(databases)).append('\n');
        page.append(domains(domains)).append('\n');
        page.append(alarms(databases, domains));
        return page.toString();
    }

    /** What is held of how much, by whom, and how often there was no room; and how many there are of what is counted. */
    private static String memory(JsonNode memory) {
        List<String> holders = new ArrayList<>();
        long refused = 0;
        for (JsonNode holder : memory.path("holders")) {
            holders.add(text(holder, "holder") + " " + megabytes(holder, "reservedBytes"));
            refused += holder.path("refused").asLong(0);
        }
        List<String> counts = new ArrayList<>();
        for (JsonNode count : memory.path("counts")) {
            counts.add("%s of %s %s".formatted(text(count, "now"), text(count, "most"), text(count, "of")));
        }
        return "Memory held for callers: %s of %s MB (%s), refused %d times%nThere are %s%n"
                .formatted(
                        megabytes(memory, "reservedBytes"),
                        megabytes(memory, "mostBytes"),
                        String.join(", ", holders),
                        refused,
                        String.join(", ", counts));
    }

    private static String megabytes(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNumber() ? String.format(Locale.ROOT, "%.1f", value.asDouble() / 1e6) : NOTHING;
    }

    private static String databases(List<JsonNode> databases) {
        if (databases.isEmpty()) {
            return "No databases.\n";
        }
        Columns rows = new Columns("DATABASE", "AT", "OPEN", "BUDGET", "OTHERS USE", "STATE");
        for (JsonNode database : databases) {
            rows.add(
                    text(database, "name"),
                    "%s:%s/%s".formatted(text(database, "host"), text(database, "port"), text(database, "database")),
                    text(database, "open"),
                    text(database, "budget"),
                    text(database, "othersUse"),
                    state(database));
        }
        return rows.toString();
    }

    /** A database's state, with what else is known of the alarm that it is. */
    private static String state(JsonNode database) {
        JsonNode health = database.path("health");
        for (JsonNode alarm : database.path("alarms")) {
            if (text(alarm, "code").equals(text(health, "code"))) {
                return withDetail(text(health, "label"), alarm);
            }
        }
        return text(health, "label");
    }

    private static String domains(List<JsonNode> domains) {
        if (domains.isEmpty()) {
            return "No domains.\n";
        }
        Columns rows = new Columns(
                "DOMAIN",
                "DATABASE",
                "STATE",
                "IN USE",
                "SIZE",
                "FLOOR",
                "CEILING",
                "WAITING",
                "MEAN MS",
                "P99 MS",
                "PER SECOND",
                "HELD BACK BY");
        for (JsonNode domain : domains) {
            JsonNode pool = domain.path("pool");
            JsonNode latency = pool.path("latency");
            boolean measured = latency.path("count").asLong(0) > 0;
            rows.add(
                    text(domain, "name"),
                    text(domain, "database"),
                    text(pool.path("health"), "label"),
                    text(pool, "inUse"),
                    text(pool, "size"),
                    text(pool, "floor"),
                    text(pool, "ceiling"),
                    text(pool, "waiting"),
                    measured ? decimal(latency, "meanMs") : NOTHING,
                    measured ? decimal(latency, "p99Ms") : NOTHING,
                    decimal(latency, "perSecond"),
                    heldBackBy(pool.path("limit")));
        }
        return rows.toString();
    }

    /** The policy or the thing that callers wait for now. */
    private static String heldBackBy(JsonNode limit) {
        if (!limit.path("holdsBack").asBoolean(false)) {
            return NOTHING;
        }
        return limit.path("policy").isString() ? text(limit, "policy") : text(limit, "by");
    }

    /** Those of databases, of the service and of domains, each once: several domains may share one, and a database may have none. */
    private static String alarms(List<JsonNode> databases, List<JsonNode> domains) {
        Columns rows = new Columns("ALARM", "OF", "SEVERITY", "SINCE", "MESSAGE");
        Set<String> shown = new HashSet<>();
        for (JsonNode database : databases) {
            for (JsonNode alarm : database.path("alarms")) {
                add(alarm, ofDatabase(text(database, "name")), shown, rows);
            }
        }
        for (JsonNode domain : domains) {
            for (JsonNode alarm : domain.path("pool").path("alarms")) {
                String of = switch (text(alarm, "reach")) {
                    case "service" -> "service";
                    case "database" -> ofDatabase(text(domain, "database"));
                    default -> text(domain, "name");
                };
                add(alarm, of, shown, rows);
            }
        }
        return shown.isEmpty() ? "No alarms.\n" : rows.toString();
    }

    /** As policy files and plugins write a database beside domains. */
    private static String ofDatabase(String name) {
        return "database/" + name;
    }

    private static void add(JsonNode alarm, String of, Set<String> shown, Columns rows) {
        String code = text(alarm, "code");
        String message = withDetail(text(alarm, "message"), alarm);
        if (shown.add(String.join(" ", code, of, message))) {
            rows.add(code, of, text(alarm, "severity"), text(alarm, "since"), message);
        }
    }

    private static String withDetail(String said, JsonNode alarm) {
        String detail = alarm.path("detail").asString("");
        return said + (detail.isEmpty() ? "" : ": " + detail);
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isMissingNode() || value.isNull() ? NOTHING : value.asString();
    }

    /** Formats a number with one decimal, as the dashboard does. */
    private static String decimal(JsonNode node, String field) {
        JsonNode value = node.path(field);
        return value.isNumber() ? String.format(Locale.ROOT, "%.1f", value.asDouble()) : NOTHING;
    }

    /** Aligns rows in columns under a line of titles. */
    private static final class Columns {
        private final List<List<String>> rows = new ArrayList<>();

        Columns(String... titles) {
            add(titles);
        }

        void add(String... cells) {
            rows.add(List.of(cells));
        }

        @Override
        public String toString() {
            StringBuilder lines = new StringBuilder();
            for (List<String> row : rows) {
                StringBuilder line = new StringBuilder();
                for (int i = 0; i < row.size(); i++) {
                    line.append(row.get(i)).repeat(' ', width(i) - row.get(i).length() + 2);
                }
                lines.append(line.toString().stripTrailing()).append('\n');
            }
            return lines.toString();
        }

        private int width(int column) {
            return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
        }
    }
}
