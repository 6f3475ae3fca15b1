package dev.headgate.policy.latencycap;

/**
 * Puts figures into words: "an 8th connection", "22.9 ms". Without a Formatter and decimals of any length: a policy says a sentence at
 * every measurement, and these took most of its time.
 */
final class Wording {

    private Wording() {}

    private static final int MORE_DECIMALS = 3;

    /** By the number of decimals. */
    private static final long[] UNITS = {1, 10, 100, 1_000, 10_000, 100_000};

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
        long unit = UNITS[decimals];
        long rounded = Math.round(nanos * unit / 1e6);
        StringBuilder text = new StringBuilder(16).append(rounded / unit);
        long rest = rounded % unit;
        if (rest > 0) {
            text.append('.');
        }
        for (long digit = unit / 10; rest > 0; digit /= 10) {
            text.append((char) ('0' + rest / digit));
            rest %= digit;
        }
        return text.append(" ms").toString();
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
