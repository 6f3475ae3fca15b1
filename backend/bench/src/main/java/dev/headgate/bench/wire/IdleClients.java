package dev.headgate.bench.wire;

import dev.headgate.bench.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The cost of an idle, logged-in client. */
record IdleClients(Service service, PgBouncer peer, Options<?> options) {

    private static final int BAR_KB = 5;

    /** Each login costs milliseconds of processor time on both ends. */
    private static final int LOGIN_SECONDS = 300;

    void measure() throws Exception {
        int count = options.quick() ? 500 : 5_000;
        try (Folder folder = Folder.create("idle")) {
            Path script = folder.write("idle.sql", "\\sleep 900 s\n");
            service(count, script);
            peer(count, script);
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
            System.out.printf(
                    "  %d idle clients: %.1f KB of heap each (bar %d), %d more threads (bar 0), %.1f KB resident each%n",
                    count,
                    (service.footprint().heap() - heap) / (double) count,
                    BAR_KB,
                    service.footprint().threads() - threads,
                    (service.footprint().resident() - resident) / (double) count);
        } finally {
            end(clients);
        }
        Await.until("the clients are gone", 60, () -> service.clients() == 0);
    }

    private void peer(int count, Path script) throws Exception {
        long resident = peer.footprint().resident();
        long files = peer.footprint().files();
        Process clients = start(peer.side(), count, script);
        try {
            Await.until("all clients have logged in to PgBouncer", LOGIN_SECONDS, () -> {
                ensureAlive(clients);
                return peer.footprint().files() - files >= count;
            });
            System.out.printf(
                    "  %d idle clients: PgBouncer %.1f KB resident each%n",
                    count, (peer.footprint().resident() - resident) / (double) count);
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
