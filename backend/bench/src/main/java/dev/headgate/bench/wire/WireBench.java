package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code ./headgate bench wire [--quick] [--rows simple,prepared,extended,tls,tpcb,idle,copy]}: a whole service beside
 * PgBouncer, and beside pg_doorman if there is one, each with ten connections to the same PostgreSQL, in turn. Needs
 * {@code pgbench}, {@code psql}, {@code taskset} and PgBouncer from 1.21 on, on the path or named by {@code HEADGATE_PGBOUNCER}.
 */
public final class WireBench {

    private WireBench() {}

    /** @throws IllegalArgumentException for an unknown option, or without a suitable PgBouncer */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Rates.Group> options = Options.parse(Rates.Group.class, arguments);
        List<PoolerProgram> programs = programs();
        for (PoolerProgram each : programs) {
            sheet.version(each.name(), each.version());
        }
        List<Pooler> peers = new ArrayList<>();
        try (Service service = Service.start()) {
            try {
                for (PoolerProgram each : programs) {
                    peers.add(new Pooler(each, service));
                }
                measure(sheet, service, peers, options);
            } finally {
                for (Pooler each : peers) {
                    each.close();
                }
            }
        }
    }

    /** PgBouncer first: the bars are ratios to it. */
    private static List<PoolerProgram> programs() {
        List<PoolerProgram> programs = new ArrayList<>(List.of(new PgBouncer()));
        PgDoorman doorman = PgDoorman.named();
        if (doorman == null) {
            System.out.println("  Without pg_doorman: to add it as a peer, name its program by " + PgDoorman.VARIABLE);
        } else {
            programs.add(doorman);
        }
        return programs;
    }

    private static void measure(Sheet sheet, Service service, List<Pooler> peers, Options<Rates.Group> options)
            throws Exception {
        service.server.direct().run(false, "pgbench", "-i", "-q");
        Side ours = service.side();
        List<Side> theirs = peers.stream().map(Pooler::side).toList();
        Rates rates = new Rates(sheet, ours, theirs, options);
        List<Rates.Row> rows = Rates.rows(options);
        rates.warmUp(rows);
        service.pin();
        for (Rates.Row row : rows) {
            rates.measure(row);
        }
        if (options.has(Rates.Group.COPY)) {
            new Copies(sheet, service, ours, theirs, options).measure();
        }
        if (options.has(Rates.Group.IDLE)) {
            new IdleClients(sheet, service, peers, options).measure();
        }
    }
}
