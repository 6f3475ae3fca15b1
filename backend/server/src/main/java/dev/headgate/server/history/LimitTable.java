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
 * server allows is shared, so it leaves a pool what its siblings do not hold. Pure.
 */
final class LimitTable {

    /**
     * What is known of a moment.
     *
     * @param own the answers of the domain's policies; null if they are not known for that moment
     * @param common the answers of the database's policies
     * @param isPast whether the budget is that of now, and the moment is another one
     * @param siblings the connections of the other domains on the database; null if they are not known for that moment
     * @param server null if it has not answered yet, or for a moment of the past
     */
    record Facts(
            String database,
            @Nullable List<AnswerJson> own,
            List<AnswerJson> common,
            int budget,
            boolean isPast,
            @Nullable SortedMap<String, Integer> siblings,
            @Nullable Server server) {

        int held() {
            return siblings == null
                    ? 0
                    : siblings.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /**
     * The database's server.
     *
     * @param gives connections that ordinary users may have
     * @param othersUse those that are not Headgate's
     * @param elsewhere Headgate's for other databases on this server
     */
    record Server(String address, int gives, int othersUse, int elsewhere) {}

    private static final String OF_DATABASE = "database/";

    private LimitTable() {}

    /** One row for each source, the most restrictive first. */
    static List<LimitRow> of(Facts facts) {
        List<LimitRow> rows = new ArrayList<>();
        for (AnswerJson answer : facts.own == null ? List.<AnswerJson>of() : facts.own) {
            rows.add(row("policy", answer.policy(), answer.ceiling(), answer.reason()));
        }
        for (AnswerJson answer : facts.common) {
            String policy = answer.policy().startsWith(OF_DATABASE)
                    ? answer.policy().substring(OF_DATABASE.length())
                    : answer.policy();
            Integer ceiling = answer.ceiling();
            rows.add(row(
                    "database-policy",
                    policy,
                    ceiling == null ? null : left(ceiling, facts),
                    ceiling == null
                            ? answer.reason()
                            : "All domains together may hold %d%s. %s"
                                    .formatted(ceiling, others(facts), answer.reason())
                                    .strip()));
        }
        rows.add(row(
                "budget",
                facts.database,
                left(facts.budget, facts),
                "The budget is %d%s%s.".formatted(facts.budget, facts.isPast ? " today" : "", others(facts))));
        Server server = facts.server;
        if (server != null) {
            int left = server.gives - server.othersUse - server.elsewhere;
            rows.add(row(
                    "server",
                    server.address,
                    left(left, facts),
                    "The server gives ordinary users %d%s%s%s."
                            .formatted(
                                    server.gives,
                                    server.othersUse == 0 ? "" : ", others use " + server.othersUse,
                                    server.elsewhere == 0
                                            ? ""
                                            : ", Headgate uses %d for other databases".formatted(server.elsewhere),
                                    others(facts))));
        }
        boolean isComplete = facts.own != null && facts.siblings != null;
        return marked(rows, isComplete);
    }

    private static int left(int most, Facts facts) {
        return Math.max(0, most - facts.held());
    }

    /** "; bank 7 and gallery 5 hold the rest" as far as it is known. */
    private static String others(Facts facts) {
        if (facts.siblings == null) {
            return "; what its siblings held is not known any more";
        }
        String holders = facts.siblings.entrySet().stream()
                .filter(each -> each.getValue() > 0)
                .map(each -> each.getKey() + " " + each.getValue())
                .collect(Collectors.joining(", "));
        return holders.isEmpty() ? "" : ", of which its siblings hold " + facts.held() + " (" + holders + ")";
    }

    private static LimitRow row(String source, String name, @Nullable Integer allows, String sentence) {
        return new LimitRow(source, name, allows, sentence, false, false);
    }

    /**
     * Sorts by what is allowed and marks what binds, and what would bind next. Several may bind at the same number. Marks nothing where
     * something is not known that may have bound.
     */
    private static List<LimitRow> marked(List<LimitRow> rows, boolean isComplete) {
        rows.sort(Comparator.comparing(LimitRow::allows, Comparator.nullsLast(Comparator.naturalOrder())));
        if (!isComplete) {
            return rows;
        }
        List<Integer> bounds = rows.stream()
                .map(LimitRow::allows)
                .filter(Objects::nonNull)
                .distinct()
                .limit(2)
                .toList();
        return rows.stream()
                .map(row -> new LimitRow(
                        row.source(),
                        row.name(),
                        row.allows(),
                        row.sentence(),
                        !bounds.isEmpty() && bounds.getFirst().equals(row.allows()),
                        bounds.size() == 2 && bounds.getLast().equals(row.allows())))
                .toList();
    }
}
