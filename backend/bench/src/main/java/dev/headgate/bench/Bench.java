package dev.headgate.bench;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code ./headgate bench NAME}. */
public final class Bench {

    /** One measurement. */
    interface Measurement {
        void run() throws Exception;
    }

    private static final Map<String, Measurement> ALL = new LinkedHashMap<>();

    static {
        ALL.put("borrow", BorrowReturn::measure);
        ALL.put("waits", Waits::measure);
        ALL.put("meter", MeteredQuery::measure);
        ALL.put("raise", RaisedCeiling::measure);
        ALL.put("lower", LoweredCeiling::measure);
        ALL.put("swaps", Swaps::measure);
        ALL.put("step", GovernorStep::measure);
        ALL.put("cap", CapOnLoad::measure);
        ALL.put("hostile", HostilePolicies::measure);
        ALL.put("wire", WireRelay::measure);
    }

    private Bench() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 1 || !(ALL.containsKey(args[0]) || args[0].equals("all"))) {
            System.err.println("usage: bench NAME, with NAME one of: " + String.join(", ", ALL.keySet()) + ", all");
            System.exit(2);
        }
        Machine.print();
        for (Map.Entry<String, Measurement> each : ALL.entrySet()) {
            if (args[0].equals("all") || args[0].equals(each.getKey())) {
                System.out.println("\n== " + each.getKey());
                each.getValue().run();
            }
        }
        System.exit(0);
    }
}
