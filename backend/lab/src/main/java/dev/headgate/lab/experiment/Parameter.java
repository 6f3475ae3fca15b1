package dev.headgate.lab.experiment;

/**
 * A number that a run can be given.
 *
 * @param name a camel-case word: "connections"
 * @param description one short sentence for people
 * @param unit "" without one
 * @param quick the value of the quick form
 * @param full the value of the full form
 * @param least the smallest allowed value
 * @param most the largest allowed value
 * @param whole whether it counts something
 */
public record Parameter(
        String name,
        String description,
        String unit,
        double quick,
        double full,
        double least,
        double most,
        boolean whole) {

    public Parameter {
        if (!(least <= Math.min(quick, full) && Math.max(quick, full) <= most)) {
            throw new IllegalArgumentException(
                    name + ": quick " + quick + " and full " + full + " must be in " + least + ".." + most);
        }
        if (whole && !(isWhole(quick) && isWhole(full) && isWhole(least) && isWhole(most))) {
            throw new IllegalArgumentException(name + " counts something, so its values and bounds must be whole");
        }
    }

    /** A parameter that counts something: connections, or seconds. */
    public static Parameter count(
            String name, String description, String unit, int quick, int full, int least, int most) {
        return new Parameter(name, description, unit, quick, full, least, most, true);
    }

    /** A parameter that may have a fraction: a rate, a share, a round trip. */
    public static Parameter fraction(
            String name, String description, String unit, double quick, double full, double least, double most) {
        return new Parameter(name, description, unit, quick, full, least, most, false);
    }

    /** Whether a run may have the value. */
    public boolean allows(double value) {
        return value >= least && value <= most && (!whole || isWhole(value));
    }

    /** What is allowed: "a whole number, 4 to 50". */
    public String allowed() {
        return (whole ? "a whole number, " : "") + text(least) + " to " + text(most);
    }

    /** A value as people write it: "2", not "2.0". */
    public static String text(double value) {
        return value == (long) value ? Long.toString((long) value) : Double.toString(value);
    }

    private static boolean isWhole(double value) {
        return value == Math.rint(value);
    }
}
