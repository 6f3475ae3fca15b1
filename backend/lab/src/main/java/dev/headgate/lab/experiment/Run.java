package dev.headgate.lab.experiment;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;

/**
 * What one run of an experiment is given. The experiment reports its progress often, because a cancelled run ends at the next report.
 *
 * @param values of every parameter of the experiment, by name
 * @param seed of everything random
 */
public record Run(Laboratory laboratory, Map<String, Double> values, long seed, Progress progress) {

    /** Is told how far a run is. */
    @FunctionalInterface
    public interface Progress {
        /**
         * @param share 0 to 1
         * @param doing what is measured now, for people: "8 connections, 3 of 5"
         */
        void at(double share, String doing);
    }

    public Run {
        values = Map.copyOf(values);
    }

    /** @throws IllegalArgumentException if the experiment has no such parameter */
    public double value(String parameter) {
        Double value = values.get(parameter);
        if (value == null) {
            throw new IllegalArgumentException("there is no parameter " + parameter);
        }
        return value;
    }

    /** A parameter that counts something, rounded. */
    public int count(String parameter) {
        return (int) Math.round(value(parameter));
    }

    /**
     * Tells how far the run is.
     *
     * @throws CancellationException if it was cancelled
     */
    public void at(double share, String doing) {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the run was cancelled");
        }
        progress.at(Math.clamp(share, 0, 1), Objects.requireNonNull(doing));
    }
}
