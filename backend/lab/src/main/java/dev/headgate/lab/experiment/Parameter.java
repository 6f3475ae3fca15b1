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
 */
public record Parameter(
        String name, String description, String unit, double quick, double full, double least, double most) {

    public Parameter {
        if (!(least <= Math.min(quick, full) && Math.max(quick, full) <= most)) {
            throw new IllegalArgumentException(
                    name + ": quick " + quick + " and full " + full + " must be in " + least + ".." + most);
        }
    }
}
