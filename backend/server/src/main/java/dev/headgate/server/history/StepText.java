package dev.headgate.server.history;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code step} of a range: a whole number with its unit, as in {@code 10s}, {@code 5m}, {@code 1h}; at most a day. */
final class StepText {

    static final String PATTERN = "^[1-9][0-9]{0,4}[smh]$";

    private static final Pattern SHAPE = Pattern.compile("([1-9][0-9]{0,4})([smh])");
    private static final int MOST_SECONDS = 86_400;

    private StepText() {}

    /** @throws ProblemException malformed-request */
    static int seconds(String text) {
        Matcher shape = SHAPE.matcher(text);
        if (shape.matches()) {
            int seconds = Integer.parseInt(shape.group(1))
                    * switch (shape.group(2)) {
                        case "s" -> 1;
                        case "m" -> 60;
                        default -> 3_600;
                    };
            if (seconds <= MOST_SECONDS) {
                return seconds;
            }
        }
        throw ProblemException.of(
                ProblemType.MALFORMED_REQUEST,
                "'step' must be a whole number of s, m or h, from 1s to 24h, such as 10s or 5m; was '" + text + "'.");
    }
}
