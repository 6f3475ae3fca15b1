package dev.headgate.protocol;

/**
 * One pass over a text that decides whether any word in it can leave state in the session. That is enough for most texts.
 * Allocates nothing and reads nearly every character once, in some nanoseconds per word. Only if it answers {@link #CLOSER},
 * {@link Reading} must read the text. It may answer {@link #CLOSER} without need, but never the reverse.
 */
final class Glance {

    /** A word may leave state in the session. The other flags are incomplete then. */
    static final int CLOSER = 1;

    static final int VOLATILE = 2;
    static final int DEFINES = 4;

    /** The number of bits by which the count of statements is shifted. */
    static final int COUNT = 3;

    private static final long DO = packed("do");
    private static final long SET = packed("set");
    private static final long INTO = packed("into");
    private static final long DROP = packed("drop");
    private static final long LOAD = packed("load");
    private static final long TEMP = packed("temp");
    private static final long RESET = packed("reset");
    private static final long ALTER = packed("alter");
    private static final long MERGE = packed("merge");
    private static final long LISTEN = packed("listen");
    private static final long INSERT = packed("insert");
    private static final long CREATE = packed("create");
    private static final long IMPORT = packed("import");
    private static final long ATOMIC = packed("atomic");
    private static final long DISCARD = packed("discard");
    private static final long PREPARE = packed("prepare");
    private static final long RELEASE = packed("release");
    private static final long ROLLBACK = packed("rollback");
    private static final long SAVEPOINT = packed("savepoint");
    private static final long DECLARE = packed("declare");
    private static final long TEMPORARY = packed("temporary");
    private static final long DEALLOCATE = packed("deallocate");
    private static final long SET_CONFIG = packed("set_config");
    private static final long NOW = packed("now");
    private static final long TODAY = packed("today");
    private static final long TOMORROW = packed("tomorrow");
    private static final long YESTERDAY = packed("yesterday");

    private Glance() {}

    static int at(CharSequence text) {
        int to = text.length();
        int facts = 0;
        int statements = 0;
        int depth = 0;
        boolean begun = false; // whether the statement has a token
        long previous = 0; // the previous token, if it is a word
        int at = 0;
        while (at < to) {
            char each = text.charAt(at);
            if (Lexemes.isBlank(each)) {
                at++;
            } else if (Lexemes.beginsWord(each)) {
                int from = at;
                long word = 0;
                char letter = each;
                while (Lexemes.isOfWord(letter)) {
                    word = packed(word, letter);
                    at++;
                    letter = at < to ? text.charAt(at) : 0;
                }
                int size = at - from;
                if (size == 1 && at + 1 < to && isPrefix(text, from)) {
                    if (text.charAt(at) == '"' || text.charAt(at + 1) == '"') {
                        return CLOSER; // U&"...": any name
                    }
                    boolean escapes = text.charAt(at) == '\'';
                    int quote = escapes ? at : at + 1;
                    at = Lexemes.afterString(text, quote, to, escapes);
                    // U&'' may use any escape character
                    facts |= !escapes || mayMeanNow(text, quote + 1, at - 1, true) ? VOLATILE : 0;
                    word = 0;
                } else if (isTelling(word, size, !begun) || isTellingName(text, from, at)) {
                    return CLOSER;
                } else if (!begun && (word == CREATE || word == ALTER || word == DROP || word == IMPORT)) {
                    facts |= DEFINES;
                } else if (word == INTO && previous != INSERT && previous != MERGE) {
                    facts |= DEFINES;
                }
                begun = true;
                previous = word;
            } else {
                int after = at + 1;
                switch (each) {
                    case '\'' -> {
                        after = Lexemes.afterString(text, at, to, false);
                        facts |= (facts & VOLATILE) == 0 && mayMeanNow(text, at + 1, after - 1, false) ? VOLATILE : 0;
                    }
                    case '"' -> {
                        after = Lexemes.afterName(text, at, to);
                        if (isTellingName(text, at + 1, after)) {
                            return CLOSER;
                        }
                    }
                    case '$' -> {
                        int tag = Lexemes.afterTag(text, at, to);
                        if (tag > at) {
                            after = Lexemes.afterDollarQuoted(text, at, to);
                            facts |= mayMeanNow(text, tag, after - (tag - at), false) ? VOLATILE : 0;
                        }
                    }
                    case '-', '/' -> {
                        int comment = Lexemes.afterComment(text, at, to);
                        if (comment > at) {
                            at = comment;
                            continue;
                        }
                    }
                    case '(' -> depth++;
                    case ')' -> depth = depth > 0 ? depth - 1 : 0;
                    case ';' -> {
                        if (depth == 0) {
                            statements += begun ? 1 : 0;
                            begun = false;
                            previous = 0;
                            at++;
                            continue;
                        }
                    }
                    default -> {}
                }
                at = after;
                begun = true;
                previous = 0;
            }
        }
        return facts | (statements + (begun ? 1 : 0)) << COUNT;
    }

    /** Whether the letter here is the prefix of a literal or name: E'', U&amp;'' or U&amp;"". */
    private static boolean isPrefix(CharSequence text, int at) {
        int letter = text.charAt(at) | 0x20;
        char next = text.charAt(at + 1);
        char third = text.charAt(at + 2);
        return letter == 'e' ? next == '\'' : letter == 'u' && next == '&' && (third == '\'' || third == '"');
    }

    /** Whether a word can leave state, at the start of a statement or anywhere. */
    private static boolean isTelling(long word, int size, boolean first) {
        return switch (size) {
            case 2 -> first && word == DO;
            case 3 -> first && word == SET;
            case 4 -> word == TEMP || (first && word == LOAD);
            case 5 -> first && word == RESET;
            case 6 -> word == ATOMIC || (first && word == LISTEN);
            case 7 -> first && (word == DISCARD || word == PREPARE || word == DECLARE || word == RELEASE);
            case 8 -> first && word == ROLLBACK;
            case 9 -> word == TEMPORARY || (first && word == SAVEPOINT);
            case 10 -> word == SET_CONFIG || (first && word == DEALLOCATE);
            default -> false;
        };
    }

    /** The same for names that may also be quoted. */
    private static boolean isTellingName(CharSequence text, int from, int to) {
        if (to - from < 7) {
            return false;
        }
        int letter = text.charAt(from) | 0x20;
        return letter == 'p'
                ? Lexemes.startsWith(text, from, to, "pg_temp")
                        || Lexemes.startsWith(text, from, to, "pg_settings")
                        || Lexemes.startsWith(text, from, to, "pg_advisory_lock")
                        || Lexemes.startsWith(text, from, to, "pg_try_advisory_lock")
                : letter == 's' && Lexemes.startsWith(text, from, to, "set_config");
    }

    /**
     * Whether a string literal may be one of the words that PostgreSQL evaluates to the current day or time.
     *
     * @param escapes whether a backslash escapes the next character: escaped line ends, tabs, quotes and backslashes count as no
     *     letter, all others as any letter
     */
    static boolean mayMeanNow(CharSequence text, int from, int to, boolean escapes) {
        long word = 0;
        for (int at = from; at < to; at++) {
            char each = text.charAt(at);
            int letter = each | 0x20;
            if (letter >= 'a' && letter <= 'z') {
                word = word << 8 | letter;
                continue;
            }
            if (isPresent(word)) {
                return true;
            }
            word = 0;
            if (each == '\'') {
                at++;
                if (at < to && text.charAt(at) != '\'') {
                    return true; // it continues on another line, so together they may be any word
                }
            } else if (each == '\\' && escapes) {
                at++;
                if (at < to && "\\'nrt".indexOf(text.charAt(at)) < 0) {
                    return true;
                }
            }
        }
        return isPresent(word);
    }

    private static boolean isPresent(long word) {
        return word == NOW || word == TODAY || word == TOMORROW || word == YESTERDAY;
    }

    /** A word's last eight characters in lower case, one per byte. */
    private static long packed(String word) {
        long found = 0;
        for (int at = 0; at < word.length(); at++) {
            found = packed(found, word.charAt(at));
        }
        return found;
    }

    private static long packed(long word, char each) {
        return word << 8 | (each < 128 ? each | 0x20 : 1);
    }
}
