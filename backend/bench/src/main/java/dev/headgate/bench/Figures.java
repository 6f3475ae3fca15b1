package dev.headgate.bench;

import java.util.Arrays;
import java.util.Locale;

/** Several runs of one figure: their median and spread. */
public record Figures(double[] values) {

    public Figures {
        values = values.clone();
        Arrays.sort(values);
    }

    public double median() {
        int middle = values.length / 2;
        return values.length % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    }

    public double least() {
        return values[0];
    }

    public double most() {
        return values[values.length - 1];
    }

    /** The ratios of this to the other, run by run. */
    public static Figures ratio(double[] ours, double[] theirs) {
        double[] ratios = new double[ours.length];
        for (int i = 0; i < ours.length; i++) {
            ratios[i] = ours[i] / theirs[i];
        }
        return new Figures(ratios);
    }

    /** Only {@link Sheet} shows figures, because it also keeps them. */
    String show(String format) {
        return String.format(
                Locale.ROOT,
                format + " (" + format + " … " + format + ", n=%d)",
                median(),
                least(),
                most(),
                values.length);
    }
}
