package dev.headgate.server.plugins;

import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * The version of a plugin, ordered as people expect: part by part, numbers by value, "1.10" after "1.9". A dash begins a pre-release
 * ("2.0-rc1" is before "2.0"); text after a plus sign is ignored. Missing parts count as 0; equal versions ("1.0" and "1.0.0") are
 * ordered as text, so that the order is total.
 */
public record PluginVersion(String text) implements Comparable<PluginVersion> {

    private static final Pattern ALLOWED = Pattern.compile("[0-9][0-9A-Za-z.+-]{0,63}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final String[] NONE = {};

    /** Whether a text may be a version. It is also part of a file's name and of a path of the API. */
    static boolean isAllowed(String text) {
        return ALLOWED.matcher(text).matches();
    }

    @Override
    public int compareTo(PluginVersion other) {
        String[] mine = split(text);
        String[] theirs = split(other.text);
        int byRelease = parts(mine[0], theirs[0], "0");
        if (byRelease != 0) {
            return byRelease;
        }
        if (mine[1].isEmpty() != theirs[1].isEmpty()) {
            return mine[1].isEmpty() ? 1 : -1;
        }
        int byCandidate = parts(mine[1], theirs[1], "");
        return byCandidate != 0 ? byCandidate : text.compareTo(other.text);
    }

    /** The parts before and after the first dash, without the text after a plus sign. */
    private static String[] split(String version) {
        int plus = version.indexOf('+');
        String aged = plus < 0 ? version : version.substring(0, plus);
        int dash = aged.indexOf('-');
        return dash < 0 ? new String[] {aged, ""} : new String[] {aged.substring(0, dash), aged.substring(dash + 1)};
    }

    private static int parts(String mine, String theirs, String missing) {
        String[] a = mine.isEmpty() ? NONE : mine.split("\\.", -1);
        String[] b = theirs.isEmpty() ? NONE : theirs.split("\\.", -1);
        for (int i = 0; i < Math.max(a.length, b.length); i++) {
            int order = part(i < a.length ? a[i] : missing, i < b.length ? b[i] : missing);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Orders missing parts before numbers, numbers by value, and numbers before words. */
    private static int part(String mine, String theirs) {
        boolean a = NUMBER.matcher(mine).matches();
        boolean b = NUMBER.matcher(theirs).matches();
        if (a && b) {
            return new BigInteger(mine).compareTo(new BigInteger(theirs));
        }
        if (a) {
            return theirs.isEmpty() ? 1 : -1;
        }
        if (b) {
            return mine.isEmpty() ? -1 : 1;
        }
        return mine.compareTo(theirs);
    }

    @Override
    public String toString() {
        return text;
    }
}
