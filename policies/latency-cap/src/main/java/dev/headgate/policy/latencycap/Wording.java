package dev.headgate.policy.latencycap;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Puts figures into words: "an 8th connection", "22.9 ms". */
final class Wording {

    private Wording() {}

    private static final int MORE_DECIMALS = 3;

    /** Three significant digits at most, and no more decimals than they need. */
    static String ms(double nanos) {
        return ms(nanos, decimals(nanos));
    }

    /** The same, with as many more decimals as it takes to be told from another figure: 20.04 ms is over 20 ms. */
    static String ms(double nanos, double besideNanos) {
        int decimals = decimals(nanos);
        String beside = ms(besideNanos);
        String text = ms(nanos, decimals);
        for (int more = 1; more <= MORE_DECIMALS && text.equals(beside); more++) {
            text = ms(nanos, decimals + more);
        }
        return text;
    }

    private static int decimals(double nanos) {
        return nanos >= 100e6 ? 0 : nanos >= 10e6 ? 1 : 2;
    }

    private static String ms(double nanos, int decimals) {
        return BigDecimal.valueOf(nanos / 1e6)
                        .setScale(decimals, RoundingMode.HALF_UP)
                        .stripTrailingZeros()
                        .toPlainString()
                + " ms";
    }

    /** "7 connections", "1 connection". */
    static String connections(int count) {
        return count == 1 ? "1 connection" : count + " connections";
    }

    /** "An 8th", "A 21st". */
    static String article(int n) {
        String digits = Integer.toString(n);
        boolean vowel = digits.startsWith("8")
                || ((digits.startsWith("11") || digits.startsWith("18")) && digits.length() % 3 == 2);
        return (vowel ? "An " : "A ") + ordinal(n);
    }

    private static String ordinal(int n) {
        int tens = n % 100;
        if (tens >= 11 && tens <= 13) {
            return n + "th";
        }
        return n
                + switch (n % 10) {
                    case 1 -> "st";
                    case 2 -> "nd";
                    case 3 -> "rd";
                    default -> "th";
                };
    }
}
