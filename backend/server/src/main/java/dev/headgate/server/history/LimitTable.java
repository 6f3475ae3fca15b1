package dev.headgate.server.history;

import dev.headgate.server.api.AnswerJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers "why is my limit N?": what every source allows a pool, which of them binds, and which would bind next. What a database or a
 * server allows is shared, so it leaves a pool what its siblings do not hold. What is not known of a moment has a row that says so. Pure.
 */
final class LimitTable {

    /**
     * A moment. What is null is not known of it.
     *
     * @param size the connections of the pool
     * @param own the answers of the domain's policies
     * @param common the answers of the database's policies
     * @param siblings the other domains on the database; null if it is not known which there were
     */
    record Facts(
            boolean isPast,
            String domain,
            String database,
            @Nullable Integer size,
            @Nullable List<AnswerJson> own,
            @Nullable List<AnswerJson> common,
            @Nullable Integer budget,
            @Nullable Held siblings,
            @Nullable Server server) {

        private String say(String now, String then) {
            return isPast ? then : now;
        }
    }

    /**
     * The connections of some domains.
     *
     * @param sizes of those that are known
     * @param unknown the domains whose are not known
     */
    record Held(SortedMap<String, Integer> sizes, List<String> unknown) {

        int sum() {
            return sizes.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /**
     * The database's server.
     *
     * @param gives connections that ordinary users may have
     * @param othersUse those that are not Headgate's
     * @param elsewhere Headgate's for other databases on this server; null if they are not known
     */
    record Server(
            String address,
            int gives,
            int othersUse,
            @Nullable Integer elsewhere) {}

    private static final String OF_DATABASE = "database/";
    private static final String SERVER = "server";

    /** A list of fifty names says nothing. */
    private static final int MOST_NAMED = 3;

    private LimitTable() {}

    /** One row for each source, the most restrictive first. */
    static List<LimitRow> of(Facts facts) {
        List<LimitRow> rows = new ArrayList<>();
        rows.addAll(own(facts));
        rows.addAll(common(facts));
        rows.add(
                facts.budget == null
                        ? unknown("budget", facts.database, "The budget is not kept.")
                        : shared(
                                "budget",
                                facts.database,
                                facts.budget,
                                "The budget " + facts.say("is ", "was ") + facts.budget,
                                facts));
        rows.add(server(facts));
        return marked(rows, facts.size);
    }

    private static List<LimitRow> own(Facts facts) {
        return facts.own == null
                ? List.of(unknown("policy", facts.domain, "What its policies answered is not kept."))
                : facts.own.stream()
                        .map(answer -> row("policy", answer.policy(), answer.ceiling(), answer.reason()))
                        .toList();
    }

    private static List<LimitRow> common(Facts facts) {
        return facts.common == null
                ? List.of(unknown(
                        "database-policy", facts.database, "What the database's policies answered is not kept."))
                : facts.common.stream().map(answer -> common(answer, facts)).toList();
    }

    private static LimitRow common(AnswerJson answer, Facts facts) {
        String policy = answer.policy().startsWith(OF_DATABASE)
                ? answer.policy().substring(OF_DATABASE.length())
                : answer.policy();
        Integer ceiling = answer.ceiling();
        if (ceiling == null) {
            return row("database-policy", policy, null, answer.reason());
        }
        LimitRow row = shared(
                "database-policy",
                policy,
                ceiling,
                "All domains together " + facts.say("may", "could") + " hold " + ceiling,
                facts);
        return new LimitRow(
                row.source(),
                row.name(),
                row.allows(),
                row.known(),
                (row.sentence() + " " + answer.reason()).strip(),
                false,
                false);
    }

    private static LimitRow server(Facts facts) {
        Server server = facts.server;
        if (server == null) {
            return unknown(
                    SERVER,
                    facts.database,
                    facts.say("The server has not answered yet.", "What the server gave is not kept."));
        }
        String sentence = "The server %s ordinary users %d%s"
                .formatted(
                        facts.say("gives", "gave"),
                        server.gives,
                        server.othersUse == 0 ? "" : ", others " + facts.say("use ", "used ") + server.othersUse);
        Integer elsewhere = server.elsewhere;
        if (elsewhere == null) {
            return unknown(SERVER, server.address, sentence + "; what Headgate used for other databases is not known.");
        }
        return shared(
                SERVER,
                server.address,
                server.gives - server.othersUse - elsewhere,
                elsewhere == 0
                        ? sentence
                        : sentence
                                + ", Headgate %s %d for other databases"
                                        .formatted(facts.say("uses", "used"), elsewhere),
                facts);
    }

    /** What siblings hold is not left. */
    private static LimitRow shared(String source, String name, int most, String sentence, Facts facts) {
        Held siblings = facts.siblings;
        if (siblings == null) {
            return unknown(source, name, sentence + "; what its siblings held is not known.");
        }
        if (!siblings.unknown.isEmpty()) {
            return unknown(source, name, sentence + "; what " + names(siblings.unknown) + " held is not known.");
        }
        return row(source, name, Math.max(0, most - siblings.sum()), sentence + holders(siblings, facts) + ".");
    }

    private static String names(List<String> domains) {
        int others = domains.size() - MOST_NAMED;
        return others <= 0
                ? String.join(", ", domains)
                : String.join(", ", domains.subList(0, MOST_NAMED)) + " and " + others + " more";
    }

    /** ", of which its siblings hold 12 (bank 7, gallery 5)" */
    private static String holders(Held siblings, Facts facts) {
        String holders = siblings.sizes.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
        return holders.isEmpty()
                ? ""
                : ", of which its siblings %s %d (%s)".formatted(facts.say("hold", "held"), siblings.sum(), holders);
    }

    private static LimitRow row(String source, String name, @Nullable Integer allows, String sentence) {
        return new LimitRow(source, name, allows, true, sentence, false, false);
    }

    private static LimitRow unknown(String source, String name, String sentence) {
        return new LimitRow(source, name, null, false, sentence, false, false);
    }

    /**
     * Sorts by what is allowed and marks what binds, and what would bind next. Several may bind at the same number. Marks nothing where
     * something is not known that may have bound. A server of which nothing is known did not bind a pool that held as many as anything
     * else allows: they were open.
     */
    private static List<LimitRow> marked(List<LimitRow> rows, @Nullable Integer size) {
        rows.sort(Comparator.comparing(LimitRow::allows, Comparator.nullsLast(Comparator.naturalOrder())));
        List<Integer> bounds = rows.stream()
                .map(LimitRow::allows)
                .filter(Objects::nonNull)
                .distinct()
                .limit(2)
                .toList();
        boolean isComplete = rows.stream().allMatch(LimitRow::known);
        boolean isButForServer =
                rows.stream().allMatch(row -> row.known() || row.source().equals(SERVER));
        if (bounds.isEmpty() || !(isComplete || (isButForServer && size != null && size >= bounds.getFirst()))) {
            return rows;
        }
        return rows.stream()
                .map(row -> new LimitRow(
                        row.source(),
                        row.name(),
                        row.allows(),
                        row.known(),
                        row.sentence(),
                        bounds.getFirst().equals(row.allows()),
                        isComplete && bounds.size() == 2 && bounds.getLast().equals(row.allows())))
                .toList();
    }
}
