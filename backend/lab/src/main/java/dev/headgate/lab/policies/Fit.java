package dev.headgate.lab.policies;

import java.util.List;

/** How well points lie on a straight line. */
final class Fit {

    private Fit() {}

    /** Whether the line of least squares rises. */
    static boolean rises(List<Double> x, List<Double> y) {
        double meanX = x.stream().mapToDouble(value -> value).average().orElse(0);
        double sum = 0;
        for (int i = 0; i < x.size(); i++) {
            sum += (x.get(i) - meanX) * y.get(i);
        }
        return sum > 0;
    }

    /** The share of the variance of y that the line of least squares explains, 0 to 1; 1 if y does not vary. */
    static double linear(List<Double> x, List<Double> y) {
        int n = x.size();
        double meanX = x.stream().mapToDouble(value -> value).average().orElse(0);
        double meanY = y.stream().mapToDouble(value -> value).average().orElse(0);
        double xx = 0;
        double yy = 0;
        double xy = 0;
        for (int i = 0; i < n; i++) {
            xx += (x.get(i) - meanX) * (x.get(i) - meanX);
            yy += (y.get(i) - meanY) * (y.get(i) - meanY);
            xy += (x.get(i) - meanX) * (y.get(i) - meanY);
        }
        return yy == 0 || xx == 0 ? 1 : xy * xy / (xx * yy);
    }
}
