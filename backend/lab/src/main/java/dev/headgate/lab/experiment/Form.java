package dev.headgate.lab.experiment;

/** How long a run may take: less than two minutes, or as long as good figures need. */
public enum Form {
    QUICK,
    FULL;

    public double value(Parameter parameter) {
        return this == QUICK ? parameter.quick() : parameter.full();
    }
}
