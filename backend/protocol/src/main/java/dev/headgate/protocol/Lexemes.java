package dev.headgate.protocol;

/**
 * Where the parts of an SQL text end, and of which class its characters are, by PostgreSQL's rules (manual, "Lexical Structure"). Each
 * character is read once; nothing is copied. What is not closed reaches to the end of the text.
 */
final class Lexemes {

    private static final int LATIN = 256;

    // the classes of characters; others are 0, and words are made of all from LETTER on

    static final byte BLANK = 1;
    static final byte LETTER = 2;
    static final byte DIGIT = 3;
    static final byte DOLLAR = 4;

    private static final byte[] CLASSES = classes();

    private Lexemes() {}

    // ---- the ends of parts

    static int afterBlanks(CharSequence text, int from) {
        int at = from;
        while (at < text.length() && isBlank(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** The position after the comment that begins here; this position if none does. */
    static int afterComment(CharSequence text, int from, int to) {
        if (from + 1 >= to) {
            return from;
        }
        char first = text.charAt(from);
        char second = text.charAt(from + 1);
        if (first == '-' && second == '-') {
            int at = from + 2;
            while (at < to && !endsLine(text.charAt(at))) {
                at++;
            }
            return at;
        }
        if (first != '/' || second != '*') {
            return from;
        }
        int open = 1;
        int at = from + 2;
        while (at < to && open > 0) {
            char each = text.charAt(at++);
            if (at < to && each == '*' && text.charAt(at) == '/') {
                open--;
                at++;
            } else if (at < to && each == '/' && text.charAt(at) == '*') {
                open++;
                at++;
            }
        }
        return at;
    }

    /**
     * The position after the string literal whose first quote is here.
     *
     * @param escapes whether a backslash escapes the next character
     */
    static int afterString(CharSequence text, int from, int to, boolean escapes) {
        int at = from + 1;
        while (at < to) {
            char each = text.charAt(at++);
            if (each == '\'') {
                if (at < to && text.charAt(at) == '\'') {
                    at++;
                } else {
                    int further = continued(text, at, to);
                    if (further == at) {
                        return at;
                    }
                    at = further;
                }
            } else if (each == '\\' && escapes) {
                at++;
            }
        }
        return to;
    }

    /** The position after the quote that continues a literal which ended here. A line end must be between. */
    private static int continued(CharSequence text, int from, int to) {
        boolean newLine = false;
        int at = from;
        while (at < to) {
            char each = text.charAt(at);
            if (isBlank(each)) {
                newLine |= endsLine(each);
                at++;
            } else if (each == '-' && at + 1 < to && text.charAt(at + 1) == '-') {
                at = afterComment(text, at, to);
            } else {
                return newLine && each == '\'' ? at + 1 : from;
            }
        }
        return from;
    }

    /** The position after the name whose first double quote is here. */
    static int afterName(CharSequence text, int from, int to) {
        int at = from + 1;
        while (at < to) {
            if (text.charAt(at++) == '"') {
                if (at == to || text.charAt(at) != '"') {
                    return at;
                }
                at++;
            }
        }
        return to;
    }

    /** The position after the $tag$...$tag$ that begins here; this position if none does. */
    static int afterDollarQuoted(CharSequence text, int from, int to) {
        int tag = afterTag(text, from, to);
        if (tag == from) {
            return from;
        }
        int at = tag;
        while (at < to) {
            if (text.charAt(at) != '$') {
                at++;
            } else {
                int same = 1; // a tag contains no dollar, so no character is compared twice
                while (from + same < tag && at + same < to && text.charAt(at + same) == text.charAt(from + same)) {
                    same++;
                }
                if (from + same == tag) {
                    return at + same;
                }
                at += same;
            }
        }
        return to;
    }

    /** The position after the $tag$ that begins here; this position if none does. */
    static int afterTag(CharSequence text, int from, int to) {
        int at = from + 1;
        if (at < to && classOf(text.charAt(at)) != DIGIT) {
            while (at < to && (classOf(text.charAt(at)) == LETTER || classOf(text.charAt(at)) == DIGIT)) {
                at++;
            }
            if (at < to && text.charAt(at) == '$') {
                return at + 1;
            }
        }
        return from;
    }

    static int afterWord(CharSequence text, int from, int to) {
        int at = from + 1;
        while (at < to && isOfWord(text.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Whether this text stands here, in upper or lower case. */
    static boolean startsWith(CharSequence text, int at, int to, String lower) {
        if (to - at < lower.length()) {
            return false;
        }
        for (int i = 0; i < lower.length(); i++) {
            char each = text.charAt(at + i);
            if (each != lower.charAt(i) && (each < 'A' || each > 'Z' || each + 32 != lower.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    // ---- characters

    /** A character beyond Latin-1 is a letter. */
    static byte classOf(char each) {
        return each < LATIN ? CLASSES[each] : LETTER;
    }

    /** The zero byte at the end of a message's text is not part of it. */
    static boolean isBlank(char each) {
        return classOf(each) == BLANK;
    }

    static boolean beginsWord(char each) {
        return classOf(each) == LETTER;
    }

    static boolean isOfWord(char each) {
        return classOf(each) >= LETTER;
    }

    private static boolean endsLine(char each) {
        return each == '\n' || each == '\r';
    }

    private static byte[] classes() {
        byte[] found = new byte[LATIN];
        for (char blank : " \t\n\r\f\u000b\0".toCharArray()) {
            found[blank] = BLANK;
        }
        for (char letter = 'a'; letter <= 'z'; letter++) {
            found[letter] = LETTER;
            found[Character.toUpperCase(letter)] = LETTER;
        }
        for (char digit = '0'; digit <= '9'; digit++) {
            found[digit] = DIGIT;
        }
        for (int other = 128; other < LATIN; other++) {
            found[other] = LETTER;
        }
        found['_'] = LETTER;
        found['$'] = DOLLAR;
        return found;
    }
}
