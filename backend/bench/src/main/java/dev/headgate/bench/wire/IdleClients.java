package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import dev.headgate.bench.Options;
import dev.headgate.bench.Sheet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The cost of an idle, logged-in client. */
record IdleClients(Sheet sheet, Service service, List<Pooler> peers, Options<?> options) {

    private static final String ROW = "idle clients";
    private static final String CLIENTS = "clients";
    private static final String RESIDENT = "resident for each, KB";

    /** Each login costs milliseconds of processor time on both ends. */
    private static final int LOGIN_SECONDS = 300;

    void measure() throws Exception {
        int count = options.quick() ? 500 : 5_000;
        try (Folder folder = Folder.create("idle")) {
            Path script = folder.write("idle.sql", "\\sleep 900 s\n");
            service(count, script);
            for (Pooler peer : peers) {
                peer(peer, count, script);
            }
        }
    }

    private void service(int count, Path script) throws Exception {
        long heap = service.footprint().heap();
        long threads = service.footprint().threads();
        long resident = service.footprint().resident();
        Process clients = start(service.side(), count, script);
        try {
            Await.until("all clients have logged in", LOGIN_SECONDS, () -> {
                ensureAlive(clients);
                return service.clients() >= count;
            });
            Sheet.Entry headgate = sheet.entry(ROW, "Headgate");
            headgate.add(CLIENTS, "%,.0f", count);
            headgate.add(
                    "heap for each, KB",
                    "%.1f",
                    "at most 5",
                    (service.footprint().heap() - heap) / (double) count);
            headgate.add("more threads", "%.0f", "0", service.footprint().threads() - threads);
            headgate.add(RESIDENT, "%.1f", (service.footprint().resident() - resident) / (double) count);
            sheet.print();
        } finally {
            end(clients);
        }
        Await.until("the clients are gone", 60, () -> service.clients() == 0);
    }

    private void peer(Pooler peer, int count, Path script) throws Exception {
        long resident = peer.footprint().resident();
        long files = peer.footprint().files();
        Process clients = start(peer.side(), count, script);
        try {
            Await.until("all clients have logged in to " + peer.side().name(), LOGIN_SECONDS, () -> {
                ensureAlive(clients);
                return peer.footprint().files() - files >= count;
            });
            Sheet.Entry entry = sheet.entry(ROW, peer.side().name());
            entry.add(CLIENTS, "%,.0f", count);
            entry.add(RESIDENT, "%.1f", (peer.footprint().resident() - resident) / (double) count);
            sheet.print();
        } finally {
            end(clients);
        }
    }

    private static Process start(Side side, int count, Path script) throws IOException {
        return side.start(
                false, "pgbench", "-n", "-j", "1", "-c", String.valueOf(count), "-t", "1", "-f", script.toString());
    }

    private static void ensureAlive(Process clients) throws IOException {
        if (!clients.isAlive()) {
            throw new IOException(
                    "pgbench ended: " + new String(clients.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static void end(Process clients) throws InterruptedException {
        clients.destroy();
        clients.waitFor();
    }
}
