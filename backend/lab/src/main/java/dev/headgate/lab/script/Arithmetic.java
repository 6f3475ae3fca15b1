package dev.headgate.lab.script;

/** What numbers in expressions do. Whole numbers stay whole, also when they are divided, and never overflow. */
final class Arithmetic {

    private static final double WHOLE_BOUND = 0x1p63;

    /** Below it, a {@code double} holds every whole number. */
    private static final double EXACT_BOUND = 0x1p53;

    private Arithmetic() {}

    /** @throws ArithmeticException if it is a text */
    static double number(Object value) {
        return switch (value) {
            case Long whole -> whole;
            case Double other -> other;
            default -> throw new ArithmeticException("'" + value + "' is not a number");
        };
    }

    /** Rounds. */
    static long whole(Object value) {
        return value instanceof Long whole ? whole : bounded(Math.rint(number(value)));
    }

    /** Cuts the fraction off. */
    static long truncated(Object value) {
        return value instanceof Long whole ? whole : bounded(number(value));
    }

    /** As a statement gets it: like pgbench, a number without a fraction is written without one, so that it may be a key. */
    static String text(Object value) {
        return value instanceof Double number && Math.abs(number) < EXACT_BOUND && number == Math.rint(number)
                ? Long.toString(number.longValue())
                : value.toString();
    }

    private static long bounded(double number) {
        if (!(number >= -WHOLE_BOUND && number < WHOLE_BOUND)) {
            throw new ArithmeticException(number + " is not a whole number of 64 bits");
        }
        return (long) number;
    }

    /** @param operator one of + - * / % */
    static Object of(char operator, Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            if (b == 0 && (operator == '/' || operator == '%')) {
                throw new ArithmeticException("division by zero");
            }
            return switch (operator) {
                case '+' -> Math.addExact(a, b);
                case '-' -> Math.subtractExact(a, b);
                case '*' -> Math.multiplyExact(a, b);
                case '/' -> Math.divideExact(a, b);
                case '%' -> b == -1 ? 0L : a % b;
                default -> throw new IllegalArgumentException("operator " + operator);
            };
        }
        double a = number(left);
        double b = number(right);
        return switch (operator) {
            case '+' -> a + b;
            case '-' -> a - b;
            case '*' -> a * b;
            case '/' -> a / b;
            case '%' -> throw new ArithmeticException("% needs whole numbers");
            default -> throw new IllegalArgumentException("operator " + operator);
        };
    }

    static Object negative(Object value) {
        return value instanceof Long whole ? (Object) Math.negateExact(whole) : (Object) (-number(value));
    }
}
