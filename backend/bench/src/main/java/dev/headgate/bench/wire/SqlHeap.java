package dev.headgate.bench.wire;

import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/** The heap in use before, while and after ten million rows stream. */
record SqlHeap(Sheet sheet, Service service) {

    private static final int ROWS = 10_000_000;

    void measure() throws Exception {
        Footprint footprint = service.footprint();
        long before = footprint.live();
        long most = before;
        CountDownLatch over = new CountDownLatch(1);
        Thread streaming = Thread.ofPlatform().start(() -> {
            try (SqlReader reader =
                    SqlReader.of(service, Service.DOMAIN, "application/x-ndjson", SqlStream.narrow(ROWS))) {
                SqlReader.Reading _ = reader.read(0);
            } catch (IOException | InterruptedException e) {
                System.out.println("  the stream failed: " + e.getMessage());
            } finally {
                over.countDown();
            }
        });
        while (over.getCount() > 0) {
            most = Math.max(most, footprint.live());
        }
        streaming.join();
        Sheet.Entry objects = sheet.entry("heap", "objects on the heap");
        objects.add("before, MB", "%.1f", before / 1024.0);
        objects.add("more at most while 10 M rows streamed, MB", "%.1f", "at most 8", (most - before) / 1024.0);
        sheet.print();
    }
}
