package dev.headgate.spi;

/** The length of what a policy says: decisions, alarms and the stream keep it, so it is bounded. */
final class Texts {

    private static final String CUT = "...";

    private Texts() {}

    /** The text, cut to this many characters with dots at its end if it is longer. Splits no character in two. */
    static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        int end = most - CUT.length();
        return text.substring(0, Character.isHighSurrogate(text.charAt(end - 1)) ? end - 1 : end) + CUT;
    }
}
