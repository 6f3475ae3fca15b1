package dev.headgate.protocol;

import java.util.Locale;

/**
 * What a statement is without its values: literals, numbers and parameters are {@code ?}, words are in lower case, comments and
 * white space are gone. Statements that differ in their values alone have the same text. It tells nothing of the values.
 */
public final class Fingerprint {

    private Fingerprint() {}

    /**
     * The statement without its values.
     *
     * @param most the most characters
     */
    public static String of(String sql, int most) {
        StringBuilder text = new StringBuilder(Math.min(sql.length(), most));
        SqlScanner scanner = new SqlScanner(sql);
        while (text.length() < most) {
            String token = switch (scanner.next()) {
                case END -> "";
                case WORD -> scanner.written().toLowerCase(Locale.ROOT);
                case STRING, NUMBER, PARAMETER -> "?";
                case NAME, SYMBOL, SEMICOLON -> scanner.written();
            };
            if (token.isEmpty()) {
                return text.toString();
            }
            if (!text.isEmpty()) {
                text.append(' ');
            }
            text.append(token);
        }
        return text.substring(0, most);
    }
}
