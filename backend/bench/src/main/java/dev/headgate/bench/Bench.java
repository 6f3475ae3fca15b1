package dev.headgate.bench;

import dev.headgate.bench.peers.ContractBench;
import dev.headgate.bench.peers.PeersBench;
import dev.headgate.bench.wire.AttacksBench;
import dev.headgate.bench.wire.PageBench;
import dev.headgate.bench.wire.SizeBench;
import dev.headgate.bench.wire.SkewBench;
import dev.headgate.bench.wire.SqlBench;
import dev.headgate.bench.wire.StreamBench;
import dev.headgate.bench.wire.TenantsBench;
import dev.headgate.bench.wire.WireBench;
import dev.headgate.bench.worlds.WorldsBench;
import dev.headgate.lab.experiment.Machine;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** {@code ./headgate bench NAME [options]}. */
public final class Bench {

    /** One benchmark. */
    private interface Measurement {
        /** @throws IllegalArgumentException for an option that it does not know */
        void run(Sheet sheet, List<String> options) throws Exception;

        default boolean hasQuickForm() {
            return true;
        }
    }

    /** One that takes no options. */
    private interface Plain extends Measurement {
        void run(Sheet sheet) throws Exception;

        @Override
        default void run(Sheet sheet, List<String> options) throws Exception {
            if (!options.isEmpty()) {
                throw new IllegalArgumentException("takes no options, was given " + String.join(" ", options));
            }
            run(sheet);
        }

        @Override
        default boolean hasQuickForm() {
            return false;
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static final Map<String, Measurement> ALL = new LinkedHashMap<>();

    static {
        ALL.put("borrow", plain(BorrowReturn::measure));
        ALL.put("waits", plain(Waits::measure));
        ALL.put("leave", plain(LongQueue::measure));
        ALL.put("meter", plain(MeteredQuery::measure));
        ALL.put("raise", plain(RaisedCeiling::measure));
        ALL.put("lower", plain(LoweredCeiling::measure));
        ALL.put("swaps", plain(Swaps::measure));
        ALL.put("step", plain(GovernorStep::measure));
        ALL.put("cap", plain(CapOnLoad::measure));
        ALL.put("callers", CapUnderCallers::measure);
        ALL.put("hostile", plain(HostilePolicies::measure));
        ALL.put("peers", PeersBench::measure);
        ALL.put("contract", ContractBench::measure);
        ALL.put("worlds", WorldsBench::measure);
        ALL.put("wire", WireBench::measure);
        ALL.put("skew", SkewBench::measure);
        ALL.put("tenants", TenantsBench::measure);
        ALL.put("stream", StreamBench::measure);
        ALL.put("page", PageBench::measure);
        ALL.put("size", SizeBench::measure);
        ALL.put("attacks", AttacksBench::measure);
        ALL.put("sql", SqlBench::measure);
    }

    /** All of them, and the report of what they have kept. */
    private static final List<String> NAMES_BESIDE = List.of("all", "report", "--report");

    private Bench() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 0 || !(ALL.containsKey(args[0]) || NAMES_BESIDE.contains(args[0]))) {
            System.err.println("usage: bench NAME [options], with NAME one of: " + String.join(", ", ALL.keySet())
                    + ", all, report");
            System.exit(2);
        }
        List<String> options = Arrays.asList(args).subList(1, args.length);
        if (args[0].equals("report") || args[0].equals("--report")) {
            refusing("report", () -> Report.write(names(), options));
            System.exit(0);
        }
        Map<String, List<String>> chosen = new LinkedHashMap<>();
        refusing(args[0], () -> chosen.putAll(args[0].equals("all") ? ofAll(options) : Map.of(args[0], options)));
        System.out.println(LocalDate.now(ZoneOffset.UTC) + ", " + Machine.describe());
        for (Map.Entry<String, List<String>> each : chosen.entrySet()) {
            String name = each.getKey();
            System.out.println("\n== " + name);
            refusing(name, () -> measure(name, Objects.requireNonNull(ALL.get(name)), each.getValue()));
        }
        System.exit(0);
    }

    /**
     * The options of each when all are measured: one without a quick form is measured in full.
     *
     * @throws IllegalArgumentException for another option than --quick: the others belong to one benchmark
     */
    static Map<String, List<String>> ofAll(List<String> options) {
        if (!List.of("--quick").containsAll(options)) {
            throw new IllegalArgumentException("takes --quick alone, was given " + String.join(" ", options));
        }
        Map<String, List<String>> all = new LinkedHashMap<>();
        ALL.forEach((name, measurement) -> all.put(name, measurement.hasQuickForm() ? options : List.of()));
        return all;
    }

    /** Keeps what was measured, also if the benchmark fails later. */
    private static void measure(String name, Measurement measurement, List<String> options) throws Exception {
        Sheet sheet = new Sheet(name, options.contains("--quick"));
        try {
            measurement.run(sheet, options);
            sheet.print();
            if (sheet.kept().isEmpty()) {
                throw new IllegalStateException("the benchmark " + name + " put nothing on its sheet");
            }
        } finally {
            sheet.kept().keep();
        }
    }

    /** The names of all benchmarks. */
    static Set<String> names() {
        return ALL.keySet();
    }

    /** Exits with 2 if an option is refused. */
    private static void refusing(String name, Work work) throws Exception {
        try {
            work.run();
        } catch (IllegalArgumentException e) {
            System.err.println("headgate: bench " + name + ": " + e.getMessage());
            System.exit(2);
        }
    }

    private static Measurement plain(Plain measurement) {
        return measurement;
    }
}
