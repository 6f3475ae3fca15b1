package dev.headgate.lab.script;

import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** The functions of expressions: those of pgbench that are named here, and {@code choice} and {@code text}. */
final class Functions {

    /** The longest random text. */
    static final int LONGEST_TEXT = 10_000;

    private static final double LEAST_GAUSSIAN = 2;
    private static final double LEAST_ZIPFIAN = 1.001;
    private static final double MOST_ZIPFIAN = 1_000;

    private static final int ANY = 100;

    private record Function(int least, int most, Call call) {}

    @FunctionalInterface
    private interface Call {
        Object of(List<Object> values, RandomGenerator random);
    }

    private static final Map<String, Function> BY_NAME = Map.ofEntries(
            Map.entry("random", new Function(2, 2, Functions::random)),
            Map.entry("random_exponential", new Function(3, 3, Functions::exponential)),
            Map.entry("random_gaussian", new Function(3, 3, Functions::gaussian)),
            Map.entry("random_zipfian", new Function(3, 3, Functions::zipfian)),
            Map.entry("choice", new Function(1, ANY, Functions::choice)),
            Map.entry("text", new Function(1, 1, Functions::text)),
            Map.entry("abs", new Function(1, 1, Functions::abs)),
            Map.entry("int", new Function(1, 1, (of, _) -> Arithmetic.truncated(of.getFirst()))),
            Map.entry("double", new Function(1, 1, (of, _) -> Arithmetic.number(of.getFirst()))),
            Map.entry("mod", new Function(2, 2, (of, _) -> Arithmetic.of('%', of.get(0), of.get(1)))),
            Map.entry("least", new Function(1, ANY, (of, _) -> extreme(of, -1))),
            Map.entry("greatest", new Function(1, ANY, (of, _) -> extreme(of, 1))));

    private Functions() {}

    static String names() {
        return BY_NAME.keySet().stream().sorted().collect(Collectors.joining(", "));
    }

    /** @throws IllegalArgumentException if there is no such function, or it takes another number of arguments */
    static Expression call(String name, List<Expression> arguments) {
        Function function = BY_NAME.get(name);
        if (function == null) {
            throw new IllegalArgumentException("there is no function '" + name + "'; allowed are " + names());
        }
        if (arguments.size() < function.least() || arguments.size() > function.most()) {
            throw new IllegalArgumentException(name + " takes "
                    + (function.least() == function.most() ? "" : function.least() + " to ")
                    + function.most() + " arguments, was given " + arguments.size());
        }
        List<Expression> fixed = List.copyOf(arguments);
        return variables -> function.call()
                .of(fixed.stream().map(each -> each.value(variables)).toList(), variables.random());
    }

    /** A range of whole numbers, both ends included. */
    private record Range(long from, long to) {

        static Range of(String name, List<Object> values) {
            Range range = new Range(Arithmetic.whole(values.get(0)), Arithmetic.whole(values.get(1)));
            if (range.from > range.to) {
                throw new ArithmeticException(
                        name + " needs a range that is not empty, was given " + range.from + " to " + range.to);
            }
            if (range.to - range.from < 0 || range.to - range.from == Long.MAX_VALUE) {
                throw new ArithmeticException(name + " needs a smaller range");
            }
            return range;
        }

        long size() {
            return to - from + 1;
        }

        /** @param share 0 to 1; 1 counts as the last number */
        long at(double share) {
            return from + Math.min(size() - 1, (long) (size() * share));
        }
    }

    private static Object random(List<Object> of, RandomGenerator random) {
        Range range = Range.of("random", of);
        return range.from() + random.nextLong(range.size());
    }

    /** By the inverse of the truncated exponential distribution: low numbers are drawn more often. */
    private static Object exponential(List<Object> of, RandomGenerator random) {
        Range range = Range.of("random_exponential", of);
        double parameter = Arithmetic.number(of.get(2));
        if (!(parameter > 0)) {
            throw new ArithmeticException("the parameter of random_exponential must be above 0, was " + parameter);
        }
        double share = -Math.log1p(Math.expm1(-parameter) * random.nextDouble()) / parameter;
        return range.at(share);
    }

    /** A normal distribution, cut off at so many standard deviations to each side of the middle. */
    private static Object gaussian(List<Object> of, RandomGenerator random) {
        Range range = Range.of("random_gaussian", of);
        double parameter = Arithmetic.number(of.get(2));
        if (!(parameter >= LEAST_GAUSSIAN)) {
            throw new ArithmeticException("the parameter of random_gaussian must be at least 2, was " + parameter);
        }
        double deviations;
        do {
            deviations = random.nextGaussian();
        } while (Math.abs(deviations) >= parameter);
        return range.at((deviations + parameter) / (2 * parameter));
    }

    /**
     * By rejection: L. Devroye, Non-Uniform Random Variate Generation (1986), X.6.1, with those beyond the range rejected
     * too.
     */
    private static Object zipfian(List<Object> of, RandomGenerator random) {
        Range range = Range.of("random_zipfian", of);
        double exponent = Arithmetic.number(of.get(2));
        if (!(exponent >= LEAST_ZIPFIAN && exponent <= MOST_ZIPFIAN)) {
            throw new ArithmeticException("the parameter of random_zipfian must be in 1.001..1000, was " + exponent);
        }
        if (range.size() == 1) {
            return range.from();
        }
        double b = Math.pow(2, exponent - 1);
        while (true) {
            double x = Math.floor(Math.pow(1 - random.nextDouble(), -1 / (exponent - 1)));
            double t = Math.pow(1 + 1 / x, exponent - 1);
            if (x <= range.size() && random.nextDouble() * x * (t - 1) / (b - 1) <= t / b) {
                return range.from() + (long) x - 1;
            }
        }
    }

    private static Object choice(List<Object> of, RandomGenerator random) {
        return of.get(random.nextInt(of.size()));
    }

    private static Object text(List<Object> of, RandomGenerator random) {
        long length = Arithmetic.whole(of.getFirst());
        if (length < 0 || length > LONGEST_TEXT) {
            throw new ArithmeticException("text needs a length of 0 to " + LONGEST_TEXT + ", was given " + length);
        }
        StringBuilder text = new StringBuilder((int) length);
        while (text.length() < length) {
            text.append((char) ('a' + random.nextInt('z' - 'a' + 1)));
        }
        return text.toString();
    }

    private static Object abs(List<Object> of, RandomGenerator random) {
        return switch (of.getFirst()) {
            case Long whole -> Math.absExact(whole);
            case Object other -> Math.abs(Arithmetic.number(other));
        };
    }

    private static Object extreme(List<Object> of, int sign) {
        Object found = of.getFirst();
        for (Object each : of) {
            if (sign * Double.compare(Arithmetic.number(each), Arithmetic.number(found)) > 0) {
                found = each;
            }
        }
        return found;
    }
}
