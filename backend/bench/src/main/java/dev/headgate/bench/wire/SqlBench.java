package dev.headgate.bench.wire;

import dev.headgate.bench.Cores;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * {@code ./headgate bench sql [--quick] [--rows stream,point,first,heap,gallery,queries,fork,connections]}: SQL over HTTP by a whole
 * service, beside peers on the same PostgreSQL. Nothing is pinned: all share all cores.
 */
public final class SqlBench {

    /** What is measured. */
    private enum Row {
        STREAM,
        POINT,
        FIRST,
        HEAP,
        QUERIES,
        FORK,
        GALLERY,
        CONNECTIONS
    }

    /** Rows that start the service with settings of their own. */
    private static final Set<Row> ALONE = EnumSet.of(Row.GALLERY, Row.CONNECTIONS);

    private SqlBench() {}

    /** @throws IllegalArgumentException for an unknown option */
    public static void measure(Sheet sheet, List<String> arguments) throws Exception {
        Options<Row> options = Options.parse(Row.class, arguments);
        if (!ALONE.containsAll(options.rows())) {
            try (Service service = Service.start()) {
                Cores.unpin(service.server.postmaster());
                service.server.direct().run(false, "pgbench", "-i", "-q", "-s", "5");
                for (Row row : options.rows()) {
                    switch (row) {
                        case STREAM -> new SqlStream(sheet, service, options.quick()).measure();
                        case POINT -> new SqlPoint(sheet, service, options.quick()).measure();
                        case FIRST -> new SqlFirstRow(sheet, service, options.quick()).measure();
                        case HEAP -> new SqlHeap(sheet, service).measure();
                        case QUERIES -> new SqlQueries(sheet, service, options.quick()).measure();
                        case FORK -> new SqlFork(sheet, service, options.quick()).measure();
                        case GALLERY, CONNECTIONS -> {}
                    }
                }
            }
        }
        if (options.has(Row.GALLERY)) {
            SqlGallery.measure(sheet);
        }
        if (options.has(Row.CONNECTIONS)) {
            SqlConnections.measure(sheet, options.quick());
        }
    }
}
