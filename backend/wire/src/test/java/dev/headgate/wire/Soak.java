package dev.headgate.wire;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The whole port under all that clients and servers do to it at once: {@code pgbench -C}, clients that vanish in the middle
 * of anything, cancels, backends that are ended, a server that crashes and recovers. Afterwards every permit is there, every
 * connection can be leased, and the ledger is equal to the open sockets.
 */
final class Soak {

    private static final int CONNECTIONS = 10;
    private static final Duration SERVER_CRASHES_EVERY = Duration.ofSeconds(15);

    private final Port port;
    private final long endNanos;
    private final LongAdder requests = new LongAdder();
    private final LongAdder vanished = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder killed = new LongAdder();
    private final LongAdder benches = new LongAdder();
    private final List<Throwable> faults = java.util.Collections.synchronizedList(new ArrayList<>());

    private Soak(Port port, Duration length) {
        this.port = port;
        this.endNanos = System.nanoTime() + length.toNanos();
    }

    /** {@code MINUTES LOOPS...}: one after the other, each so long. */
    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i++) {
            System.out.println(run(
                    Integer.parseInt(arguments[i]),
                    Duration.ofSeconds(Math.round(60 * Double.parseDouble(arguments[0])))));
        }
    }

    /** @return what was done, for people to read; throws where something was lost or hangs */
    static String run(int loops, Duration length) throws Exception {
        try (Port port = new Port(CONNECTIONS, settings -> settings, loops)) {
            return new Soak(port, length).run(loops);
        }
    }

    private String run(int loops) throws Exception {
        try (Connection direct = port.direct();
                Statement statement = direct.createStatement()) {
            statement.execute(
                    "create table soaked as select i as id, repeat('x', 100) as pad from generate_series(1, 1000) i");
        }
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long seed = i;
            threads.add(start("vanish-" + i, () -> vanish(new SplittableRandom(seed))));
            threads.add(start("query-" + i, () -> query(new SplittableRandom(100 + seed))));
        }
        threads.add(start("cancel", () -> cancel(new SplittableRandom(200))));
        threads.add(start("bench", this::bench));
        threads.add(start("kill", () -> kill(new SplittableRandom(300))));
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())) + 60_000);
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " hangs: " + List.of(thread.getStackTrace()));
            }
        }
        if (!faults.isEmpty()) {
            throw new AssertionError(faults.size() + " faults, the first", faults.getFirst());
        }
        checkWhole();
        return "%d loops: %d requests, %d clients vanished, %d cancels, %d backends ended, %d runs of pgbench -C; nothing hangs, nothing is lost"
                .formatted(loops, requests.sum(), vanished.sum(), cancelled.sum(), killed.sum(), benches.sum());
    }

    private interface Work {
        void run() throws Exception;
    }

    private Thread start(String name, Work work) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                work.run();
            } catch (Throwable fault) {
                faults.add(fault);
            }
        });
    }

    private boolean goesOn() {
        return System.nanoTime() - endNanos < 0;
    }

    /** Nobody is served while the server recovers: then the client tries again. */
    private RawClient client(String domain) {
        while (goesOn()) {
            try {
                RawClient client = new RawClient(port.wire.port());
                try {
                    return client.login(domain);
                } catch (IOException refused) {
                    client.close();
                }
            } catch (IOException gone) {
                // and again
            }
            pause(20);
        }
        throw new Ended();
    }

    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static void pause(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void query(SplittableRandom random) throws Exception {
        while (goesOn()) {
            try (RawClient client = client(random.nextInt(4) == 0 ? "session" : "bank")) {
                for (int left = random.nextInt(200); left > 0 && goesOn(); left--) {
                    switch (random.nextInt(4)) {
                        case 0 -> client.send('Q', "select * from soaked where id < " + random.nextInt(200) + "\0");
                        case 1 -> client.send('Q', "begin; update soaked set pad = pad where id = 1; commit\0");
                        case 2 ->
                            client.send('P', "\0select " + random.nextInt(20) + "\0\0\0")
                                    .send('B', "\0\0\0\0\0\0\0\0")
                                    .send('E', "\0\0\0\0\0")
                                    .send('S');
                        default -> client.send('Q', "set work_mem = '" + (1 + random.nextInt(9)) + "MB'\0");
                    }
                    client.untilReady();
                    requests.increment();
                }
            } catch (Ended over) {
                return;
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    private static void checkNoTimeout(IOException why) throws IOException {
        if (why instanceof java.net.SocketTimeoutException) {
            throw why; // nobody answers: a hang
        }
    }

    private void vanish(SplittableRandom random) throws Exception {
        while (goesOn()) {
            try {
                RawClient client = client(random.nextInt(4) == 0 ? "session" : "bank");
                client.socket.setSoLinger(random.nextBoolean(), 0);
                switch (random.nextInt(7)) {
                    case 0 -> client.send('Q', "select pg_sleep(30)\0");
                    case 1 -> client.send('Q', "begin\0");
                    case 2 -> client.send('Q', "copy soaked (pad) from stdin\0").send('d', "half a line");
                    case 3 -> client.send('Q', "select repeat('y', 1000) from generate_series(1, 100000)\0");
                    case 4 -> client.send('P', "s\0select 1\0\0\0").send('H');
                    case 5 -> {
                        client.out.writeByte('Q');
                        client.out.writeInt(1000);
                        client.out.write(new byte[random.nextInt(900)]);
                        client.out.flush();
                    }
                    default -> client.send('Q', "listen soak\0").send('X');
                }
                pause(random.nextInt(30));
                client.close();
                vanished.increment();
            } catch (Ended over) {
                return;
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    private void cancel(SplittableRandom random) throws Exception {
        while (goesOn()) {
            try (RawClient client = client("bank")) {
                client.send('Q', "select pg_sleep(" + (random.nextBoolean() ? "0.01" : "20") + ")\0");
                pause(random.nextInt(25));
                for (String types = ""; types.isEmpty() && goesOn(); ) {
                    try (RawClient canceller = new RawClient(port.wire.port())) {
                        canceller.out.writeInt(16);
                        canceller.out.writeInt(80877102);
                        canceller.out.writeInt(client.process);
                        canceller.out.writeInt(client.secret);
                        canceller.out.flush();
                        canceller.readOrEnd();
                    }
                    client.socket.setSoTimeout(500);
                    try {
                        types = client.untilReady();
                        cancelled.increment();
                    } catch (java.net.SocketTimeoutException notYet) {
                        types = "";
                    }
                }
            } catch (Ended over) {
                return;
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    private void bench() throws Exception {
        Path script = Files.createTempFile("headgate-soak", ".sql");
        Files.writeString(script, "select * from soaked where id = 7;\n");
        while (goesOn()) {
            ProcessBuilder command =
                    new ProcessBuilder("pgbench", "-n", "-C", "-c", "4", "-T", "5", "-f", script.toString());
            command.environment().put("PGHOST", "127.0.0.1");
            command.environment().put("PGPORT", String.valueOf(port.wire.port()));
            command.environment().put("PGUSER", Port.USER);
            command.environment().put("PGPASSWORD", Port.PASSWORD);
            command.environment().put("PGDATABASE", "bank");
            command.environment().put("PGSSLMODE", "disable");
            Process process = command.redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("pgbench hangs");
            }
            benches.increment();
        }
        Files.delete(script);
    }

    private void kill(SplittableRandom random) {
        long nextCrash = System.nanoTime() + SERVER_CRASHES_EVERY.toNanos() / 2;
        while (goesOn()) {
            pause(300 + random.nextInt(500));
            try (Connection direct = port.direct();
                    Statement statement = direct.createStatement()) {
                if (System.nanoTime() - nextCrash > 0) {
                    nextCrash = System.nanoTime() + SERVER_CRASHES_EVERY.toNanos();
                    try (ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
                        row.next();
                        // a backend that dies so makes the server end all others and recover
                        new ProcessBuilder("kill", "-9", row.getString(1))
                                .start()
                                .waitFor();
                    }
                } else {
                    statement.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                            + " where backend_type = 'client backend' and pid <> pg_backend_pid() limit "
                            + (1 + random.nextInt(6)));
                }
                killed.increment();
            } catch (SQLException | IOException recovering) {
                // and again
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    // ---- afterwards

    private void checkWhole() throws Exception {
        for (String domain : List.of("bank", "session", "statement")) {
            await(
                    domain + " is at rest",
                    () -> port.pool(domain).status().inUse() == 0
                            && port.pool(domain).status().waiting() == 0);
            Pool pool = port.pool(domain);
            List<Lease> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(pool.acquire(LeaseRequest.by("soak")));
            }
            all.forEach(Lease::close);
        }
        port.awaitEveryEntryIsASocket();
        await("no client is left", () -> port.wire.clients().isEmpty());
    }

    private static void await(String what, java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not so: " + what);
            }
            pause(20);
        }
    }
}
