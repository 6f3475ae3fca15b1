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

    /** A number that the scanner takes for several tokens: 0xFF, 1_000, 1e5, 1.5e-7. No part of it may be shown. */
    private static final class Numeral {
        /** Where the number, as far as it is known, ends; -1 for none. */
        private int end = -1;

        /** Whether a sign or digits of an exponent may follow. */
        private boolean exponent;

        boolean goesOn(SqlScanner.Kind kind, SqlScanner scanner) {
            boolean adjacent = scanner.start() == end;
            boolean part = adjacent
                    && (kind == SqlScanner.Kind.WORD
                            || (exponent && (kind == SqlScanner.Kind.NUMBER || isSign(scanner))));
            exponent = part && (isSign(scanner) || scanner.isWord("e"));
            end = part || kind == SqlScanner.Kind.NUMBER ? scanner.end() : -1;
            return part;
        }

        private static boolean isSign(SqlScanner scanner) {
            return scanner.isSymbol('+') || scanner.isSymbol('-');
        }
    }

    private static boolean isOperator(char each) {
        return OPERATORS.indexOf(each) >= 0;
    }

    /**
     * The statement without its values.
     *
     * @param most the most characters, at least 1; never half of a surrogate pair, which UTF-8 has no form for
     */
    public static String of(String sql, int most) {
        StringBuilder text = new StringBuilder(Math.min(sql.length(), most));
        SqlScanner scanner = new SqlScanner(sql);
        int end = 0;
        Numeral numeral = new Numeral();
        while (text.length() < most) {
            SqlScanner.Kind kind = scanner.next();
            if (numeral.goesOn(kind, scanner)) {
                end = scanner.end();
                continue;
            }
            String token = switch (kind) {
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
        boolean isWithinPair = Character.isHighSurrogate(text.charAt(most - 1));
        return text.substring(0, isWithinPair ? most - 1 : most);
    }
}
