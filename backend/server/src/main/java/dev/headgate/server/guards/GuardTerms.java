package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code guard} parameter of a change: {@code p99Ms:50,errorRate:0.01,within:60s}.
 *
 * <pre>
 * guard  = part ("," part)*        each name once; "within", and at least one bound unless "then:restore"
 * part   = "p99Ms:" number | "waitP99Ms:" number          more than 0, at most 3600000
 *        | "errorRate:" number | "refusedRate:" number    from 0 to 1
 *        | "within:" whole ("s" | "m")                    from 3s to 60m
 *        | "then:keep" | "then:restore" | "then:restore-unjudged"     at the end; keep if left out
 * </pre>
 *
 * @param within how long the probation lasts
 * @param then "keep", "restore" or "restore-unjudged", at its end
 */
public record GuardTerms(GuardBounds bounds, Duration within, String then) {

    private static final String SHAPE = "p99Ms:50,waitP99Ms:100,errorRate:0.01,refusedRate:0.05,within:60s,then:keep"
            + " (each at most once; within, and at least one bound or then:restore)";

    /** One part of the parameter, for the OpenAPI document. Which parts go together, and how large they are, it does not tell. */
    private static final String PART = "((p99Ms|waitP99Ms|errorRate|refusedRate):[0-9]{1,9}(\\.[0-9]{1,9})?"
            + "|within:[0-9]{1,6}[sm]|then:(keep|restore(-unjudged)?))";

    /** The pattern of the parameter in the OpenAPI document. */
    public static final String PATTERN = "^" + PART + "(," + PART + ")*$";

    private static final Pattern NUMBER = Pattern.compile("\\d{1,9}(\\.\\d{1,9})?");
    private static final Pattern PERIOD = Pattern.compile("(\\d{1,6})([sm])");
    private static final Set<String> ENDS = Set.of(Guard.KEEP, Guard.RESTORE, Guard.RESTORE_UNJUDGED);
    private static final double MOST_MS = 3_600_000;
    private static final Duration SHORTEST = Duration.ofSeconds(3);
    private static final Duration LONGEST = Duration.ofMinutes(60);

    /** @throws ProblemException malformed-request, naming the part that is wrong and what is allowed */
    public static GuardTerms parse(String text) {
        Map<String, Double> bounds = new HashMap<>();
        @Nullable Duration within = null;
        @Nullable String then = null;
        for (String part : text.split(",", -1)) {
            int colon = part.indexOf(':');
            String name = colon < 0 ? part : part.substring(0, colon);
            String value = colon < 0 ? "" : part.substring(colon + 1);
            if (bounds.containsKey(name)
                    || (name.equals("within") && within != null)
                    || (name.equals("then") && then != null)) {
                throw malformed("names '" + name + "' twice; allowed is " + SHAPE);
            }
            switch (name) {
                case "p99Ms", "waitP99Ms" -> bounds.put(name, number(name, value, MOST_MS));
                case "errorRate", "refusedRate" -> bounds.put(name, number(name, value, 1));
                case "within" -> within = period(value);
                case "then" -> then = end(value);
                default -> throw malformed("does not know '" + part + "'; allowed is " + SHAPE);
            }
        }
        if (within == null) {
            throw malformed("does not say 'within'; allowed is " + SHAPE);
        }
        if (bounds.isEmpty() && !Guard.RESTORE.equals(then)) {
            throw malformed("has no bound; allowed is " + SHAPE);
        }
        return new GuardTerms(
                new GuardBounds(
                        bounds.get("p99Ms"),
                        bounds.get("waitP99Ms"),
                        bounds.get("errorRate"),
                        bounds.get("refusedRate")),
                within,
                then == null ? Guard.KEEP : then);
    }

    /** @param former the revision before the watched one */
    public Probation probation(Scope scope, long revision, Instant armedAt, long former) {
        return new Probation(scope, revision, armedAt, new Guard(armedAt.plus(within), then, former, bounds));
    }

    private static double number(String name, String value, double most) {
        double number = NUMBER.matcher(value).matches() ? Double.parseDouble(value) : -1;
        boolean share = most == 1;
        if (number < 0 || number > most || (number == 0 && !share)) {
            throw malformed("has '" + value + "' for " + name + "; allowed is "
                    + (share ? "a share from 0 to 1, such as 0.01" : "milliseconds above 0 and up to 3600000"));
        }
        return number;
    }

    private static String end(String value) {
        if (ENDS.contains(value)) {
            return value;
        }
        throw malformed("has '" + value + "' for then; allowed is keep, restore or restore-unjudged");
    }

    private static Duration period(String value) {
        Matcher period = PERIOD.matcher(value);
        if (period.matches()) {
            long count = Long.parseLong(period.group(1));
            Duration within = period.group(2).equals("s") ? Duration.ofSeconds(count) : Duration.ofMinutes(count);
            if (within.compareTo(SHORTEST) >= 0 && within.compareTo(LONGEST) <= 0) {
                return within;
            }
        }
        throw malformed("has '" + value + "' for within; allowed is 3s to 3600s, or 1m to 60m");
    }

    private static ProblemException malformed(String what) {
        return ProblemException.of(ProblemType.MALFORMED_REQUEST, "'guard' " + what + ".");
    }
}
