package dev.headgate.lab.script;

/** Where the parts of SQL end in which neither a parameter nor a semicolon counts: literals, quoted names, comments. */
final class Lexemes {

    private Lexemes() {}

    /**
     * The end of such a part that begins here, or {@code at} if none does.
     *
     * @param line of the text's beginning, for the exception
     */
    static int end(String text, int at, int line) throws ScriptException {
        char here = text.charAt(at);
        if (here == '\'' || here == '"') {
            return endOfQuoted(text, at, here == '\'' && isEscaped(text, at), line);
        }
        if (text.startsWith("--", at)) {
            int end = text.indexOf('\n', at);
            return end < 0 ? text.length() : end;
        }
        if (text.startsWith("/*", at)) {
            return endOfComment(text, at, line);
        }
        if (here == '$' && (at == 0 || !isNamePart(text.charAt(at - 1)))) {
            return endOfDollarQuoted(text, at, line);
        }
        return at;
    }

    /** The end of the name that begins here. */
    static int endOfName(String text, int at) {
        int end = at;
        while (end < text.length() && isNamePart(text.charAt(end))) {
            end++;
        }
        return end;
    }

    /** How many lines end before a place. */
    static int lines(String text, int at) {
        return (int) text.substring(0, at).chars().filter(c -> c == '\n').count();
    }

    private static boolean isNamePart(char c) {
        return ExpressionReader.isLetter(c) || ExpressionReader.isDigit(c);
    }

    /** Whether the literal is {@code E'...'}, where a backslash escapes. */
    private static boolean isEscaped(String text, int at) {
        return at > 0
                && Character.toLowerCase(text.charAt(at - 1)) == 'e'
                && (at == 1 || !isNamePart(text.charAt(at - 2)));
    }

    private static int endOfQuoted(String text, int at, boolean escaped, int line) throws ScriptException {
        char quote = text.charAt(at);
        for (int end = at + 1; end < text.length(); end++) {
            if (escaped && text.charAt(end) == '\\') {
                end++;
            } else if (text.charAt(end) == quote) {
                if (end + 1 == text.length() || text.charAt(end + 1) != quote) {
                    return end + 1;
                }
                end++; // a doubled quote
            }
        }
        throw endless(text, at, line, "a text in quotes");
    }

    /** Comments nest. */
    private static int endOfComment(String text, int at, int line) throws ScriptException {
        int depth = 0;
        for (int end = at; end + 1 < text.length(); end++) {
            if (text.startsWith("/*", end)) {
                depth++;
                end++;
            } else if (text.startsWith("*/", end)) {
                end++;
                if (--depth == 0) {
                    return end + 1;
                }
            }
        }
        throw endless(text, at, line, "a comment");
    }

    private static int endOfDollarQuoted(String text, int at, int line) throws ScriptException {
        int tag = at + 1;
        if (tag < text.length() && ExpressionReader.isLetter(text.charAt(tag))) {
            tag = endOfName(text, tag);
        }
        if (tag >= text.length() || text.charAt(tag) != '$') {
            return at;
        }
        String quote = text.substring(at, tag + 1);
        int end = text.indexOf(quote, tag + 1);
        if (end < 0) {
            throw endless(text, at, line, "a text in " + quote);
        }
        return end + quote.length();
    }

    private static ScriptException endless(String text, int at, int line, String what) {
        return new ScriptException(line + lines(text, at), what + " has no end");
    }
}
