package dev.headgate.policy.latencycap;

import dev.headgate.spi.*;
import dev.headgate.testkit.*;
import java.time.Duration;
import java.util.*;

/** scratch */
public class Explore {
    static Policy cap(double ms, String stat) {
        return new LatencyCapFactory().create(Parameters.of(Map.of("maxLatencyMs", ms, "statistic", stat)));
    }

    static Policy fixed(int size) {
        return v -> Limits.unbounded().withCeiling(size).because("fixed");
    }

    record World(long seed, String kind, ServiceTime model, double cv, double cap, String stat, int best, double rate, Work work) {}

    static World world(long seed) {
        SplittableRandom r = new SplittableRandom(seed * 7919 + 13);
        double base = Math.exp(r.nextDouble(Math.log(3), Math.log(30)));
        int kind = r.nextInt(3);
        ServiceTime m;
        String name;
        if (kind == 0) {
            double slope = base * Math.exp(r.nextDouble(Math.log(0.02), Math.log(1)));
            m = ServiceTime.linear(base, slope);
            name = String.format("linear(%.1f,%.2f)", base, slope);
        } else if (kind == 1) {
            int c = 1 + r.nextInt(16);
            m = ServiceTime.cores(c, base);
            name = String.format("cores(%d,%.1f)", c, base);
        } else {
            double s = r.nextDouble(0.02, 0.2), k = r.nextDouble(0.0005, 0.01);
            m = ServiceTime.usl(base, s, k);
            name = String.format("usl(%.1f,%.3f,%.4f)", base, s, k);
        }
        int target = 2 + r.nextInt(30);
        double cv = r.nextDouble(0.2, 1.2);
        double capMean = Math.max(1.1 * base, (m.meanNanos(target) + m.meanNanos(target + 1)) / 2e6);
        int st = r.nextInt(4);
        String stat = st < 2 ? "mean" : st == 2 ? "p95" : "p99";
        SimulatedServer s = new SimulatedServer(m, cv, 0);
        double q = stat.equals("mean") ? 1 : s.percentileFactor(stat.equals("p95") ? 1.645 : 2.326);
        double cap = capMean * q;
        int best = 1;
        double bestX = 0;
        for (int n = 1; n <= 200; n++) {
            double l = m.meanNanos(n);
            if (l * q <= cap * 1e6 && n / l > bestX * 1.0001) {
                best = n;
                bestX = n / l;
            }
        }
        double rate = bestX * 1e9 * 1.5;
        return new World(seed, name, m, cv, cap, stat, best, rate, Work.single());
    }

    static final Duration END = Duration.ofSeconds(60), SETTLED = Duration.ofSeconds(10);

    static int a0 = Integer.getInteger("n", 120);
    public static void main(String[] a) {
        if (a.length > 0) {
            World w = world(Long.parseLong(a[0]));
            System.out.println(w);
            System.out.println(sim(w, cap(w.cap, w.stat)).perSecond());
            return;
        }
        long t0 = System.nanoTime();
        int n = a0, okL = 0, okX = 0, ok = 0;
        List<double[]> all = new ArrayList<>();
        for (long seed = 0; seed < n; seed++) {
            World w = world(seed);
            double okFix = judge(sim(w, fixed(w.best)), w), xFix = thr;
            Run r = sim(w, cap(w.cap, w.stat));
            double share = judge(r, w), x = thr;
            boolean l = share >= Math.min(0.95, okFix), t = x >= 0.95 * xFix;
            if (l) okL++;
            if (t) okX++;
            if (l && t) ok++;
            else
                System.out.printf("%3d %-24s cv %.2f cap %6.1f %-4s best %2d rate %6.0f  within %.3f (fixed %.3f) x %.3f changes %d end %d%n",
                        seed, w.kind, w.cv, w.cap, w.stat, w.best, w.rate, share, okFix, x / xFix, r.changes(SETTLED, END).size(), r.rows().getLast().limits().ceiling());
        }
        System.out.printf("latency ok %d, throughput ok %d, both %d of %d; %.1f s%n", okL, okX, ok, n, (System.nanoTime() - t0) / 1e9);
    }

    static double thr;

    static double judge(Run r, World w) {
        thr = r.throughput(SETTLED, END);
        Statistic s = Statistic.of(w.stat);
        int need = s == Statistic.MEAN ? 400 : s == Statistic.P95 ? 900 : 2000;
        long ms = Math.max(1000, (long) Math.ceil(need / thr * 10) * 100);
        return r.shareWithin(SETTLED, END, Duration.ofMillis(ms), s::nanos, 1.1 * w.cap * 1e6);
    }

    static Run sim(World w, Policy p) {
        Simulator sim = new Simulator(new SimulatedServer(w.model, w.cv, w.seed), 500, w.seed).domain("d", Load.perSecond(w.rate, w.work), p);
        return sim.runFor(END).run("d");
    }
}
