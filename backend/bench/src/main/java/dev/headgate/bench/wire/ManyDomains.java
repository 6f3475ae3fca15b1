package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Many domains on some databases of a service, the first of them busy.
 *
 * @param name of the databases ("tenant0") and domains ("tenant-0")
 * @param connections the budget of each database
 * @param pool of each domain
 */
record ManyDomains(Service service, String name, int databases, int connections, int domains, int busy, Pool pool) {

    private static final int SECONDS = 3_600;

    /**
     * @param least connections that stay open
     * @param most connections
     * @param clients of pgbench, if the domain is busy
     * @param perSecond queries of all these clients together
     */
    record Pool(int least, int most, int clients, int perSecond) {

        /** One client that sends five queries a second. */
        static final Pool LIGHT = new Pool(0, 2, 1, 5);
    }

    String domain(int number) {
        return name + "-" + number;
    }

    /** The service's own PostgreSQL takes 100 connections, too few for these databases. */
    void prepareServer() throws Exception {
        Side server = service.server.direct(PostgresServer.USER);
        server.sql("alter system set max_connections = " + (databases * connections + 100));
        for (int i = 0; i < databases; i++) {
            server.sql("create database " + name + i);
        }
        double _ = service.restart();
    }

    /** Creates the databases, the domains, and the clients of the busy ones. */
    void create() throws IOException, InterruptedException {
        for (int i = 0; i < databases; i++) {
            service.create("/api/v1/databases", """
                    {"name": "%1$s%2$d", "host": "127.0.0.1", "port": %3$d, "database": "%1$s%2$d", "user": "%4$s",
                     "password": "%5$s", "sslMode": "disable", "budget": %6$d}""".formatted(
                    name, i, service.server.port(), PostgresServer.USER, service.server.password(), connections));
        }
        for (int i = 0; i < domains; i++) {
            service.create("/api/v1/domains", """
                    {"name": "%s", "database": "%s%d",
                     "policySet": {"policies": [{"plugin": "min-max", "parameters": {"min": %d, "max": %d}}]}}""".formatted(domain(i), name, i % databases, pool.least(), pool.most()));
        }
        for (int i = 0; i < busy; i++) {
            service.createClient(domain(i));
        }
    }

    /** Starts the load. */
    Load load(Folder folder) throws IOException {
        Path script = folder.write("select.sql", "select 1;\n");
        List<Process> load = new ArrayList<>();
        for (int i = 0; i < busy; i++) {
            load.add(service.side(domain(i))
                    .start(
                            false,
                            "pgbench",
                            "-n",
                            "-c",
                            Integer.toString(pool.clients()),
                            "-R",
                            Integer.toString(pool.perSecond()),
                            "-T",
                            Integer.toString(SECONDS),
                            "-f",
                            script.toString()));
        }
        return new Load(load);
    }

    /** The clients of pgbench that run. */
    record Load(List<Process> clients) implements AutoCloseable {

        /** @throws IOException with its output if a client has ended: what was measured is worth nothing then */
        void check() throws IOException {
            for (Process each : clients) {
                if (!each.isAlive()) {
                    throw new IOException("pgbench ended: "
                            + new String(each.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }

        @Override
        public void close() throws InterruptedException {
            clients.forEach(Process::destroy);
            for (Process each : clients) {
                each.waitFor();
            }
        }
    }
}
