package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.List;

/**
 * {@code ./headgate bench wire [--quick] [--rows simple,prepared,extended,tls,tpcb,idle,copy]}: a whole service beside
 * PgBouncer, each with ten connections to the same PostgreSQL, in turn. Needs {@code pgbench}, {@code psql},
 * {@code taskset} and PgBouncer from 1.21 on, on the path or named by {@code HEADGATE_PGBOUNCER}.
 */
public final class WireBench {

    private WireBench() {}

    /** @throws IllegalArgumentException for an unknown option, or without a suitable PgBouncer */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Rates.Group> options = Options.parse(Rates.Group.class, arguments);
        sheet.version("PgBouncer", PgBouncer.version());
        try (Service service = Service.start();
                PgBouncer peer = new PgBouncer(service)) {
            service.server.direct().run(false, "pgbench", "-i", "-q");
            Side ours = service.side();
            Side theirs = peer.side();
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
                new IdleClients(sheet, service, peer, options).measure();
            }
        }
    }
}
