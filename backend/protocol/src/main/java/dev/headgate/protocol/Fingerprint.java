package dev.headgate.protocol;

import java.util.Locale;

/**
 * What a statement is without its values: literals, numbers and parameters are {@code ?}, words are in lower case, comments are
 * gone and white space is one blank where people put one. Statements that differ in their values alone have the same text. It tells
 * nothing of the values.
 */
public final class Fingerprint {

    private static final String OPERATORS = "+-*/<>=~!@#%^&|`:";

    private Fingerprint() {}

    /**
     * Whether no blank stands between the text so far and the next token.
     *
     * @param adjacent whether none stands there in the statement
     */
    private static boolean isJoined(CharSequence text, char next, boolean adjacent) {
        char last = text.charAt(text.length() - 1);
        return switch (next) {
            case ',', ')', ']', ';', '.' -> true;
            case '(', '[' -> adjacent || last == '(' || last == '[';
            default ->
                last == '('
                        || last == '['
                        || last == '.'
                        || (adjacent && (last == ':' || next == ':')) // ::type
                        || (adjacent && isOperator(last) && isOperator(next));
        };
    }

    private static boolean isOperator(char each) {
        return OPERATORS.indexOf(each) >= 0;
    }

    /**
     * The statement without its values.
     *
     * @param most the most characters
     */
    public static String of(String sql, int most) {
        StringBuilder text = new StringBuilder(Math.min(sql.length(), most));
        SqlScanner scanner = new SqlScanner(sql);
        int end = 0;
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
            if (!text.isEmpty() && !isJoined(text, token.charAt(0), scanner.start() == end)) {
                text.append(' ');
            }
            text.append(token);
            end = scanner.end();
        }
        return text.substring(0, most);
    }
}
