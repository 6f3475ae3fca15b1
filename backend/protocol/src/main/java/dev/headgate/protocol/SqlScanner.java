package dev.headgate.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tokens of an SQL text by PostgreSQL's rules (manual, "Lexical Structure"), and the ends of its statements. It is
 * made for texts from clients: it reads each character only a few times whatever the text is, keeps no stack and copies
 * nothing. An unclosed string, quoted name or comment reaches to the end of the text; the server refuses such a text.
 *
 * <p>A semicolon ends a statement, except within parentheses (CREATE RULE) or in a BEGIN ATOMIC body of a CREATE FUNCTION or
 * PROCEDURE. Plain string literals are read as with {@code standard_conforming_strings} on: the default, and the only way
 * from PostgreSQL 19 on.
 *
 * <p>Used by one thread at a time.
 */
final class SqlScanner {

    /** The kind of a token. */
    enum Kind {
        /** The end of the text. */
        END,
        /** A keyword or an unquoted name. */
        WORD,
        /** A name in double quotes, also U&amp;"...". */
        NAME,
        /** A string literal of any form. One that continues on another line is one token. */
        STRING,
        /** $1. */
        PARAMETER,
        /** Digits and points. Other parts of a number are words. */
        NUMBER,
        /** Any other character. */
        SYMBOL,
        /** The semicolon between two statements. */
        SEMICOLON
    }

    private final CharSequence text;
    private final int to;

    private Kind kind = Kind.END;
    private int start;
    private int end;
    private int depth;

    /** How many words of CREATE [OR REPLACE] FUNCTION the statement has begun with. */
    private Heading heading = Heading.NOTHING;

    /** The number of open blocks in the body: its BEGIN ATOMIC and the CASEs in it. */
    private int open;

    private boolean afterBegin;

    /** After a point or AS any word is a name. */
    private boolean afterPointOrAs;

    private enum Heading {
        NOTHING,
        CREATE,
        OR,
        REPLACE,
        ROUTINE,
        OTHER
    }

    SqlScanner(CharSequence text) {
        this(text, 0, text.length());
    }

    SqlScanner(CharSequence text, int from, int to) {
        this.text = text;
        this.end = from;
        this.to = to;
    }

    /** The statements of a text without empty ones. Each includes the comments before it, but not those after it. */
    static List<String> statements(String sql) {
        List<String> found = new ArrayList<>();
        SqlScanner scanner = new SqlScanner(sql);
        int from = 0;
        int last = 0;
        boolean begun = false;
        Kind kind;
        do {
            kind = scanner.next();
            if (kind != Kind.SEMICOLON && kind != Kind.END) {
                begun = true;
                last = scanner.end;
            } else {
                if (begun) {
                    found.add(sql.substring(Lexemes.afterBlanks(sql, from), last));
                }
                begun = false;
                from = scanner.end;
            }
        } while (kind != Kind.END);
        return found;
    }

    // ---- tokens

    /** Goes to the next token. */
    Kind next() {
        start = afterBlanksAndComments(end);
        if (start >= to) {
            start = to;
            end = to;
            kind = Kind.END;
            return kind;
        }
        char first = text.charAt(start);
        switch (Lexemes.classOf(first)) {
            case Lexemes.LETTER -> word();
            case Lexemes.DIGIT -> {
                kind = Kind.NUMBER;
                end = start + 1;
                while (end < to && (Lexemes.classOf(text.charAt(end)) == Lexemes.DIGIT || text.charAt(end) == '.')) {
                    end++;
                }
            }
            case Lexemes.DOLLAR -> dollar();
            default -> other(first);
        }
        if (kind == Kind.WORD) {
            follow();
        } else {
            afterBegin = false;
            if (heading != Heading.ROUTINE) {
                heading = Heading.OTHER;
            }
            if (kind == Kind.SEMICOLON) {
                heading = Heading.NOTHING;
            }
            afterPointOrAs = kind == Kind.SYMBOL && first == '.';
        }
        return kind;
    }

    private void word() {
        char first = text.charAt(start);
        kind = Kind.WORD;
        end = Lexemes.afterWord(text, start, to);
        if (end == start + 1 && end < to) {
            char second = text.charAt(end);
            if (second == '\'' && (first == 'e' || first == 'E')) {
                kind = Kind.STRING;
                end = Lexemes.afterString(text, end, to, true);
            } else if (second == '&' && (first == 'u' || first == 'U') && end + 1 < to) {
                if (text.charAt(end + 1) == '\'') {
                    kind = Kind.STRING;
                    end = Lexemes.afterString(text, end + 1, to, false);
                } else if (text.charAt(end + 1) == '"') {
                    kind = Kind.NAME;
                    end = Lexemes.afterName(text, end + 1, to);
                }
            }
        }
    }

    private void dollar() {
        end = Lexemes.afterDollarQuoted(text, start, to);
        if (end > start) {
            kind = Kind.STRING;
            return;
        }
        end = start + 1;
        while (end < to && Lexemes.classOf(text.charAt(end)) == Lexemes.DIGIT) {
            end++;
        }
        kind = end > start + 1 ? Kind.PARAMETER : Kind.SYMBOL;
    }

    private void other(char first) {
        kind = Kind.SYMBOL;
        end = start + 1;
        switch (first) {
            case '\'' -> {
                kind = Kind.STRING;
                end = Lexemes.afterString(text, start, to, false);
            }
            case '"' -> {
                kind = Kind.NAME;
                end = Lexemes.afterName(text, start, to);
            }
            case '(' -> depth++;
            case ')' -> depth = Math.max(0, depth - 1);
            case ';' -> kind = depth == 0 && open == 0 ? Kind.SEMICOLON : Kind.SYMBOL;
            default -> {}
        }
    }

    /** Recognises the body of a function, much as psql does. */
    private void follow() {
        boolean named = afterPointOrAs;
        afterPointOrAs = isWord("as");
        if (heading != Heading.ROUTINE) {
            heading = switch (heading) {
                case NOTHING -> isWord("create") ? Heading.CREATE : Heading.OTHER;
                case CREATE -> isWord("or") ? Heading.OR : routine();
                case OR -> isWord("replace") ? Heading.REPLACE : Heading.OTHER;
                case REPLACE -> routine();
                case OTHER, ROUTINE -> Heading.OTHER;
            };
        } else if (depth == 0 && !named) {
            if (open == 0) {
                open = afterBegin && isWord("atomic") ? 1 : 0;
                afterBegin = isWord("begin");
            } else if (isWord("case")) {
                open++;
            } else if (isWord("end")) {
                open--;
            }
        }
    }

    private Heading routine() {
        return isWord("function") || isWord("procedure") ? Heading.ROUTINE : Heading.OTHER;
    }

    Kind kind() {
        return kind;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    /** Whether the token is in a function's body, which is defined but not executed. */
    boolean isInBody() {
        return open > 0;
    }

    /** Whether the token is this word, without quotes. */
    boolean isWord(String lower) {
        return kind == Kind.WORD && end - start == lower.length() && Lexemes.startsWith(text, start, to, lower);
    }

    boolean isSymbol(char symbol) {
        return kind == Kind.SYMBOL && text.charAt(start) == symbol;
    }

    /** Whether the token can be a name. */
    boolean isName() {
        return kind == Kind.WORD || kind == Kind.NAME;
    }

    /** Whether it is a name that may have this prefix. A name with escapes always may. */
    boolean mayBegin(String lower) {
        return switch (kind) {
            case WORD -> Lexemes.startsWith(text, start, end, lower);
            case NAME -> isEscaped() || Lexemes.startsWith(text, start + 1, end, lower);
            default -> false;
        };
    }

    /** Whether it is a name of the form U&amp;"...", which UESCAPE may follow. */
    boolean isEscaped() {
        return kind == Kind.NAME && text.charAt(start) != '"';
    }

    /** The first character after the token and the blanks and comments that follow; 0 at the end. */
    char following() {
        int at = afterBlanksAndComments(end);
        return at < to ? text.charAt(at) : 0;
    }

    /** The token as written. */
    String written() {
        return text.subSequence(start, end).toString();
    }

    /** The name that a word or a quoted name means. */
    String name() {
        if (kind == Kind.WORD) {
            StringBuilder folded = new StringBuilder(end - start);
            for (int at = start; at < end; at++) {
                char each = text.charAt(at);
                folded.append(each >= 'A' && each <= 'Z' ? (char) (each + 32) : each);
            }
            return folded.toString();
        }
        boolean unicode = isEscaped();
        int from = start + (unicode ? 3 : 1);
        String content =
                text.subSequence(from, Math.max(from, end - 1)).toString().replace("\"\"", "\"");
        return unicode ? unescaped(content, escape()) : content;
    }

    /** The value of a single-quoted literal without escapes or doubled quotes; null for any other token. */
    @Nullable
    String plainValue() {
        if (kind != Kind.STRING || text.charAt(start) != '\'' || end - start < 2 || text.charAt(end - 1) != '\'') {
            return null;
        }
        String value = text.subSequence(start + 1, end - 1).toString();
        return value.indexOf('\'') < 0 && value.indexOf('\\') < 0 ? value : null;
    }

    /** The escape character of UESCAPE after this name; by default a backslash. */
    private char escape() {
        int at = afterBlanksAndComments(end);
        if (Lexemes.startsWith(text, at, to, "uescape")) {
            at = afterBlanksAndComments(at + "uescape".length());
            if (at + 2 < to && text.charAt(at) == '\'' && text.charAt(at + 2) == '\'') {
                return text.charAt(at + 1);
            }
        }
        return '\\';
    }

    private static String unescaped(String content, char escape) {
        StringBuilder found = new StringBuilder();
        int at = 0;
        while (at < content.length()) {
            char each = content.charAt(at++);
            if (each != escape || at == content.length()) {
                found.append(each);
            } else if (content.charAt(at) == escape) {
                found.append(escape);
                at++;
            } else {
                boolean six = content.charAt(at) == '+';
                int from = six ? at + 1 : at;
                int until = Math.min(content.length(), from + (six ? 6 : 4));
                int code = 0;
                for (int digit = from; digit < until; digit++) {
                    code = code * 16 + Math.max(0, Character.digit(content.charAt(digit), 16));
                }
                found.appendCodePoint(Math.min(code, Character.MAX_CODE_POINT));
                at = until;
            }
        }
        return found.toString();
    }

    private int afterBlanksAndComments(int from) {
        int at = from;
        while (at < to) {
            char each = text.charAt(at);
            if (Lexemes.classOf(each) == Lexemes.BLANK) {
                at++;
            } else {
                int after = each == '-' || each == '/' ? Lexemes.afterComment(text, at, to) : at;
                if (after == at) {
                    return at;
                }
                at = after;
            }
        }
        return at;
    }

    @Override
    public String toString() {
        return "%s at %d".formatted(kind.name().toLowerCase(Locale.ROOT), start);
    }
}
