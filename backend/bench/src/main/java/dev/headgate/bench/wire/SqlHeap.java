package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.util.concurrent.FutureTask;

/** The heap in use before, while and after ten million rows stream. */
record SqlHeap(Sheet sheet, Service service) {

    private static final int ROWS = 10_000_000;

    void measure() throws Exception {
        Footprint footprint = service.footprint();
        long before = footprint.live();
        long most = before;
        FutureTask<Void> streaming = new FutureTask<>(() -> {
            try (SqlReader reader =
                    SqlReader.of(service, Service.DOMAIN, "application/x-ndjson", SqlStream.narrow(ROWS))) {
                reader.read(0).requireRows(ROWS);
            }
            return null;
        });
        Thread _ = Thread.ofPlatform().start(streaming);
        while (!streaming.isDone()) {
            most = Math.max(most, footprint.live());
        }
        streaming.get(); // fails where the stream did
        Sheet.Entry objects = sheet.entry("heap", "objects on the heap");
        objects.add("before, MB", "%.1f", before / 1024.0);
        objects.add("more at most while 10 M rows streamed, MB", "%.1f", "at most 8", (most - before) / 1024.0);
        sheet.print();
    }
}
