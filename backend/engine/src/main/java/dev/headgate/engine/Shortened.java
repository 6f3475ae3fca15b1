package dev.headgate.engine;

/**
 * Cuts texts of others for messages and records. Never between the halves of a surrogate pair: UTF-8 has no form for one half, and a
 * strict reader of JSON refuses it.
 */
public final class Shortened {

    private Shortened() {}

    /** The beginning of a text, at most so many characters; the text itself if it is no longer. */
    public static String to(int most, String text) {
        if (text.length() <= most) {
            return text;
        }
        boolean isWithinPair = most > 0 && Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, isWithinPair ? most - 1 : most);
    }

    /** The same, with an ellipsis where something is left out. */
    public static String withEllipsis(int most, String text) {
        return text.length() <= most ? text : to(most, text) + "…";
    }
}
