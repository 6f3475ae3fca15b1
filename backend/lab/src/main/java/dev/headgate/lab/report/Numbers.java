package dev.headgate.lab.report;

import java.util.Locale;

/** Numbers as text. */
public final class Numbers {

    private static final int MOST_DECIMALS = 6;

    private Numbers() {}

    /**
     * "1 user", "32 users".
     *
     * @param things in the plural, which ends with an s
     */
    public static String counted(long number, String things) {
        return number + " " + (number == 1 ? things.substring(0, things.length() - 1) : things);
    }

    /** For sentences and tables: two decimals below 10, one below 100, none above. */
    public static String rounded(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
    }

    /** Beside a verdict: as {@link #rounded(double)}, with so many more decimals that it stays on its side of the bar. */
    public static String rounded(double value, double bar) {
        return beside(value, bar, value >= 100 ? 0 : value >= 10 ? 1 : 2);
    }

    /** Beside a verdict: a share in percent, with so many decimals that it stays on its side of the bar. */
    public static String percent(double share, double bar) {
        return beside(100 * share, 100 * bar, 0);
    }

    private static String beside(double value, double bar, int decimals) {
        String text = String.format(Locale.ROOT, "%." + decimals + "f", value);
        return decimals == MOST_DECIMALS || Double.compare(Double.parseDouble(text), bar) == Double.compare(value, bar)
                ? text
                : beside(value, bar, decimals + 1);
    }

    /** Three digits, or the whole number. */
    public static String text(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < 1e9) {
            return String.format(Locale.ROOT, "%,d", (long) value).replace(",", size < 10_000 ? "" : ",");
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, size < 10_000 ? "%.0f" : "%,.0f", value);
        }
        if (size >= 10) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return size >= 1 ? String.format(Locale.ROOT, "%.2f", value) : String.format(Locale.ROOT, "%.3g", value);
    }
}
