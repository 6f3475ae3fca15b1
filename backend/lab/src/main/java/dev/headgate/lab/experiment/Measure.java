package dev.headgate.lab.experiment;

import java.util.List;

/**
 * A figure of a run with its repeated measurements.
 *
 * @param name "throughput with latency-cap"
 * @param unit "1/s"; "" without one
 * @param better which direction is the better one
 * @param samples one for each repetition, at least one, all finite
 */
public record Measure(String name, String unit, Better better, List<Double> samples) {

    /** Which values are wished for. */
    public enum Better {
        MORE,
        LESS,
        NEITHER
    }

    public Measure {
        samples = List.copyOf(samples);
        if (samples.isEmpty() || !samples.stream().allMatch(Double::isFinite)) {
            throw new IllegalArgumentException(name + ": needs finite samples, was " + samples);
        }
    }

    /** Whether the other one is this figure of another run. */
    public boolean isSameAs(Measure other) {
        return name.equals(other.name) && unit.equals(other.unit);
    }

    public double median() {
        return medianOf(samples);
    }

    /** The middle of at least one sample; of an even number, the mean of the two in the middle. */
    public static double medianOf(List<Double> samples) {
        List<Double> sorted = samples.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
