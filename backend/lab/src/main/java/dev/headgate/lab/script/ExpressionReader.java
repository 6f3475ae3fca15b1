package dev.headgate.lab.script;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads an expression as pgbench's {@code \set} has it: numbers, texts in quotes, {@code :variables}, {@code + - * / %}, parentheses and {@link
 * Functions}. By recursive descent. Used once.
 */
final class ExpressionReader {

    private static final int DEEPEST = 50;

    private final String text;
    private final int line;
    private final Set<String> known;
    private int at;
    private int depth;

    private ExpressionReader(String text, int line, Set<String> known) {
        this.text = text;
        this.line = line;
        this.known = known;
    }

    /**
     * @param line of its script, for the exception
     * @param known the variables that are set before it
     */
    static Expression read(String text, int line, Set<String> known) throws ScriptException {
        ExpressionReader reader = new ExpressionReader(text, line, known);
        Expression expression = reader.sum();
        reader.skipSpace();
        if (reader.at < text.length()) {
            throw reader.unexpected("an operator (+ - * / %) or the end");
        }
        return expression;
    }

    private Expression sum() throws ScriptException {
        Expression left = product();
        while (true) {
            char operator = next("+-");
            if (operator == 0) {
                return left;
            }
            left = binary(operator, left, product());
        }
    }

    private Expression product() throws ScriptException {
        Expression left = signed();
        while (true) {
            char operator = next("*/%");
            if (operator == 0) {
                return left;
            }
            left = binary(operator, left, signed());
        }
    }

    private static Expression binary(char operator, Expression left, Expression right) {
        return variables -> Arithmetic.of(operator, left.value(variables), right.value(variables));
    }

    private Expression signed() throws ScriptException {
        if (++depth > DEEPEST) {
            throw new ScriptException(line, "the expression is nested too deeply, at most " + DEEPEST + " levels");
        }
        try {
            return switch (next("+-")) {
                case '-' -> {
                    Expression positive = signed();
                    yield variables -> Arithmetic.negative(positive.value(variables));
                }
                case '+' -> signed();
                default -> operand();
            };
        } finally {
            depth--;
        }
    }

    private Expression operand() throws ScriptException {
        skipSpace();
        char first = at < text.length() ? text.charAt(at) : 0;
        if (first == '(') {
            at++;
            Expression inner = sum();
            expect(')');
            return inner;
        }
        if (first == ':') {
            at++;
            String name = name();
            if (!known.contains(name)) {
                throw Statement.unknown(line, name);
            }
            return variables -> variables.get(name);
        }
        if (first == '\'') {
            return quoted();
        }
        if (isDigit(first) || first == '.') {
            return number();
        }
        if (isLetter(first)) {
            return call();
        }
        throw unexpected("a number, a text in quotes, a :variable, a function or (");
    }

    private Expression call() throws ScriptException {
        String name = name();
        expect('(');
        List<Expression> arguments = new ArrayList<>();
        do {
            arguments.add(sum());
        } while (next(",") != 0);
        expect(')');
        try {
            return Functions.call(name, arguments);
        } catch (IllegalArgumentException e) {
            throw new ScriptException(line, String.valueOf(e.getMessage()));
        }
    }

    private Expression quoted() throws ScriptException {
        StringBuilder value = new StringBuilder();
        for (at++; at < text.length(); at++) {
            if (text.charAt(at) != '\'') {
                value.append(text.charAt(at));
            } else if (at + 1 < text.length() && text.charAt(at + 1) == '\'') {
                value.append(text.charAt(at++));
            } else {
                at++;
                String whole = value.toString();
                return _ -> whole;
            }
        }
        throw new ScriptException(line, "a text in quotes has no end");
    }

    private Expression number() throws ScriptException {
        int begin = at;
        while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '.' || isExponent(begin))) {
            at++;
        }
        String digits = text.substring(begin, at);
        try {
            Object value = digits.chars().allMatch(digit -> isDigit((char) digit))
                    ? (Object) Long.valueOf(digits)
                    : (Object) Double.valueOf(digits);
            return _ -> value;
        } catch (NumberFormatException e) {
            throw new ScriptException(line, "'" + digits + "' is not a number");
        }
    }

    /** Whether the character here belongs to an exponent: its letter, or the sign after it. */
    private boolean isExponent(int begin) {
        char here = text.charAt(at);
        return here == 'e'
                || here == 'E'
                || ((here == '-' || here == '+') && at > begin && Character.toLowerCase(text.charAt(at - 1)) == 'e');
    }

    private String name() throws ScriptException {
        int begin = at;
        while (at < text.length() && (isLetter(text.charAt(at)) || isDigit(text.charAt(at)))) {
            at++;
        }
        if (begin == at) {
            throw unexpected("a name");
        }
        return text.substring(begin, at);
    }

    static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private void skipSpace() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    /** Takes the next character if it is one of these. Returns 0 if not. */
    private char next(String wanted) {
        skipSpace();
        return at < text.length() && wanted.indexOf(text.charAt(at)) >= 0 ? text.charAt(at++) : 0;
    }

    private void expect(char wanted) throws ScriptException {
        if (next(String.valueOf(wanted)) == 0) {
            throw unexpected(String.valueOf(wanted));
        }
    }

    private ScriptException unexpected(String allowed) {
        return new ScriptException(
                line,
                (at < text.length() ? "'" + text.charAt(at) + "' is not expected" : "the expression is not complete")
                        + " in '" + text.strip() + "'; allowed is " + allowed);
    }
}
