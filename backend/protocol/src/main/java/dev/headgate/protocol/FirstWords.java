package dev.headgate.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The words that a statement begins with. */
public final class FirstWords {

    private FirstWords() {}

    /** The first unquoted words in upper case, without comments and opening parentheses; at most that many. */
    public static List<String> of(String sql, int most) {
        List<String> words = new ArrayList<>(most);
        SqlScanner scanner = new SqlScanner(sql);
        while (words.size() < most) {
            switch (scanner.next()) {
                case WORD -> words.add(scanner.written().toUpperCase(Locale.ROOT));
                case SYMBOL -> {
                    if (!words.isEmpty() || !scanner.isSymbol('(')) {
                        return words;
                    }
                }
                case SEMICOLON -> {
                    if (!words.isEmpty()) {
                        return words;
                    }
                }
                default -> {
                    return words;
                }
            }
        }
        return words;
    }

    /** Whether a text has no statement, but blanks, comments and semicolons alone. */
    public static boolean isNoStatement(String sql) {
        SqlScanner scanner = new SqlScanner(sql);
        SqlScanner.Kind kind = scanner.next();
        while (kind == SqlScanner.Kind.SEMICOLON) {
            kind = scanner.next();
        }
        return kind == SqlScanner.Kind.END;
    }
}
