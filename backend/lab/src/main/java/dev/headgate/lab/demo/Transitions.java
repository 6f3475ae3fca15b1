package dev.headgate.lab.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where users of the auction site go from each page: to another page, back to the one before, or away. The probabilities are read from
 * {@code auction-transitions.txt}, a row for each page. Immutable.
 *
 * <p>Because of the way back, a walk is no Markov chain of its pages: where it goes depends on where it came from. How often a session
 * shows each page follows from the rows all the same, see {@link #visits}.
 */
final class Transitions {

    /** After so many rounds {@link #visits} changes no more: one session in 10<sup>15</sup> goes that deep. */
    private static final int ROUNDS = 1_000;

    /**
     * The ways from one page.
     *
     * @param links the probability of each page that follows
     * @param back the probability of the page before, which is then shown once more
     * @param leave the probability of the session's end
     */
    record Row(Map<Page, Double> links, double back, double leave) {}

    private final Map<Page, Row> rows;

    private Transitions(Map<Page, Row> rows) {
        this.rows = rows;
    }

    /** Those of the auction site. */
    static Transitions load() {
        String name = "auction-transitions.txt";
        InputStream file = Objects.requireNonNull(Transitions.class.getResourceAsStream(name), name);
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return of(lines.readAllLines());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads rows such as {@code sell: select category to sell item 0.9, home 0.06, leave 0.04}. A line that begins with {@code #} is a
     * comment.
     *
     * @throws IllegalArgumentException if a page has no row or two, a row does not sum to 1, or the first page has a way back
     */
    static Transitions of(List<String> lines) {
        Map<Page, Row> rows = new EnumMap<>(Page.class);
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] parts = line.split(":", 2);
                Page page = Page.titled(parts[0].strip());
                require(rows.put(page, row(page, parts.length == 2 ? parts[1] : "")) == null, page, "has two rows");
            }
        }
        for (Page page : Page.values()) {
            require(rows.containsKey(page), page, "has no row");
        }
        Transitions transitions = new Transitions(rows);
        require(
                transitions.from(Page.FIRST).back() == 0,
                Page.FIRST,
                "is the first page, there is no way back from it");
        return transitions;
    }

    private static Row row(Page page, String ways) {
        Map<Page, Double> links = new EnumMap<>(Page.class);
        double back = 0;
        double leave = 0;
        BigDecimal sum = BigDecimal.ZERO;
        for (String way : ways.split(",")) {
            List<String> words = Arrays.asList(way.strip().split(" +"));
            String to = String.join(" ", words.subList(0, words.size() - 1));
            BigDecimal probability = probability(page, words.getLast());
            sum = sum.add(probability);
            switch (to) {
                case "back" -> back += probability.doubleValue();
                case "leave" -> leave += probability.doubleValue();
                default -> links.merge(Page.titled(to), probability.doubleValue(), Double::sum);
            }
        }
        require(sum.compareTo(BigDecimal.ONE) == 0, page, "has ways that sum to " + sum + ", not to 1");
        return new Row(links, back, leave);
    }

    private static BigDecimal probability(Page page, String text) {
        try {
            BigDecimal probability = new BigDecimal(text);
            require(probability.signum() > 0, page, "has a way with probability " + text);
            return probability;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(page.title() + " has a way without a probability: " + text, e);
        }
    }

    private static void require(boolean holds, Page page, String fault) {
        if (!holds) {
            throw new IllegalArgumentException(page.title() + " " + fault);
        }
    }

    Row from(Page page) {
        return Objects.requireNonNull(rows.get(page));
    }

    /**
     * How often a session shows each page, on average: the exact values. Divided by their sum they are the stationary shares of the pages.
     *
     * <p>A user who follows a link comes back to the page with some probability, goes on from there, and may come back again. So a page
     * is shown <i>shown</i> times for each time that a link leads to it, and each of those shows follows each of its links with that
     * link's probability.
     */
    Map<Page, Double> visits() {
        Map<Page, Double> visits = new EnumMap<>(Page.class);
        Map<Page, Double> returns = new EnumMap<>(Page.class);
        Map<Page, Double> entries = Map.of();
        for (int round = 0; round < ROUNDS; round++) {
            Map<Page, Double> coming = new EnumMap<>(Map.of(Page.FIRST, 1.0));
            for (Map.Entry<Page, Row> each : rows.entrySet()) {
                Page page = each.getKey();
                Row row = each.getValue();
                double returning = 0;
                for (Map.Entry<Page, Double> link : row.links().entrySet()) {
                    returning += link.getValue() * returns.getOrDefault(link.getKey(), 0.0);
                }
                double shown = 1 / (1 - returning);
                double visited = entries.getOrDefault(page, 0.0) * shown;
                visits.put(page, visited);
                returns.put(page, row.back() * shown);
                row.links().forEach((to, probability) -> coming.merge(to, visited * probability, Double::sum));
            }
            entries = coming;
        }
        return visits;
    }
}
