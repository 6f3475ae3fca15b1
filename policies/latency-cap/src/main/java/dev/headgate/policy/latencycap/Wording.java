package dev.headgate.policy.latencycap;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Puts figures into words: "an 8th connection", "22.9 ms". */
final class Wording {

    private Wording() {}

    /** Three significant digits at most, and no more decimals than they need. */
    static String ms(double nanos) {
        double ms = nanos / 1e6;
        int decimals = ms >= 100 ? 0 : ms >= 10 ? 1 : 2;
        return BigDecimal.valueOf(ms)
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
