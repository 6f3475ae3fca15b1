package dev.headgate.wire;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.LedgerAudit;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * The whole port under all that clients and servers do to it at once: {@code pgbench -C}, clients that vanish in the middle
 * of anything, cancels, backends that are ended, a server that crashes and recovers, and one that is restarted. Nothing may
 * hang: whoever waits for an answer gets one in time, if only an error. Afterwards every permit is there, every connection can
 * be leased, the ledger is equal to the open sockets, and its audit has repaired nothing.
 */
final class Soak {

    private static final int CONNECTIONS = 10;

    /** The longest time between one outage of the server and the next. A short soak has four of them. */
    private static final Duration OUTAGES_EVERY = Duration.ofSeconds(15);

    /** How long what must happen may take on a busy machine: longer than the server is ever away. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** How long a request may go on that is cancelled twice a second. Shorter than the time to the next outage, which ends it too. */
    private static final Duration CANCEL_PATIENCE = Duration.ofSeconds(8);

    /** What pgbench says of a client whose backend was ended, and at its end if there were any. */
    private static final Pattern GAVE_UP = Pattern.compile("pgbench: error: (Run was aborted; .*"
            + "|client \\d+ script 0 aborted in command 0 query 0: FATAL:  "
            + "(terminating connection due to administrator command|the connection to the database was lost: .*))");

    private final Port port;
    private final long endNanos;
    private final long outagesEveryNanos;
    private final LongAdder requests = new LongAdder();
    private final LongAdder vanished = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder killed = new LongAdder();
    private final LongAdder crashes = new LongAdder();
    private final LongAdder restarts = new LongAdder();
    private final LongAdder benches = new LongAdder();
    private final List<Throwable> faults = Collections.synchronizedList(new ArrayList<>());

    private Soak(Port port, Duration length) {
        this.port = port;
        this.endNanos = System.nanoTime() + length.toNanos();
        this.outagesEveryNanos = Math.min(OUTAGES_EVERY.toNanos(), length.toNanos() / 4);
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
        client("bank").close(); // the server is asked for what it reports
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            long seed = i;
            threads.add(start("vanish-" + i, () -> vanish(new SplittableRandom(seed))));
            threads.add(start("query-" + i, () -> query(new SplittableRandom(100 + seed))));
        }
        threads.add(start("cancel", () -> cancel(new SplittableRandom(200))));
        threads.add(start("bench", this::bench));
        threads.add(start("hurt", () -> hurt(new SplittableRandom(300))));
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime())) + 60_000);
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " hangs: " + List.of(thread.getStackTrace()));
            }
        }
        if (!faults.isEmpty()) {
            AssertionError failure = new AssertionError(faults.size() + " faults, the first", faults.getFirst());
            faults.stream().skip(1).forEach(failure::addSuppressed);
            throw failure;
        }
        if (crashes.sum() == 0 || restarts.sum() == 0) {
            throw new AssertionError(
                    "too few outages: %d crashes of the server, %d restarts".formatted(crashes.sum(), restarts.sum()));
        }
        checkWhole();
        return """
                %d loops: %d requests, %d clients vanished, %d cancels, %d times backends were ended, %d crashes of the server, \
                %d restarts, %d runs of pgbench -C; nothing hangs, nothing is lost""".formatted(
                        loops,
                        requests.sum(),
                        vanished.sum(),
                        cancelled.sum(),
                        killed.sum(),
                        crashes.sum(),
                        restarts.sum(),
                        benches.sum());
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

    /** Logs in. The port needs no server for that once it knows what the server reports, so no outage is an excuse. */
    private RawClient client(String domain) {
        try {
            return new RawClient(port.wire.port()).login(domain);
        } catch (IOException why) {
            throw new AssertionError("a login to " + domain + " fails or hangs", why);
        }
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
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    private static void checkNoTimeout(IOException why) throws IOException {
        if (why instanceof SocketTimeoutException) {
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
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    /** A cancel may come too early or too late. One of several ends the request, which takes far longer by itself. */
    private void cancel(SplittableRandom random) throws Exception {
        while (goesOn()) {
            try (RawClient client = client("bank")) {
                client.send('Q', "select pg_sleep(" + (random.nextBoolean() ? "0.01" : "300") + ")\0");
                pause(random.nextInt(25));
                long deadline = System.nanoTime() + CANCEL_PATIENCE.toNanos();
                do {
                    if (System.nanoTime() - deadline > 0) {
                        throw new AssertionError("a request that is cancelled again and again goes on");
                    }
                    try (RawClient canceller = new RawClient(port.wire.port())) {
                        canceller.out.writeInt(16);
                        canceller.out.writeInt(80877102);
                        canceller.out.writeInt(client.process);
                        canceller.out.writeInt(client.secret);
                        canceller.out.flush();
                        canceller.readOrEnd();
                    }
                } while (!client.hears(500));
                client.untilReady();
                cancelled.increment();
            } catch (IOException killedWithItsBackend) {
                checkNoTimeout(killedWithItsBackend);
            }
        }
    }

    private void bench() throws Exception {
        Path script = Files.createTempFile("headgate-soak", ".sql");
        Path said = Files.createTempFile("headgate-soak", ".log");
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
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(5 + PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("pgbench hangs: " + Files.readString(said));
            }
            checkBench(process.exitValue(), Files.readString(said));
            benches.increment();
        }
        Files.delete(script);
        Files.delete(said);
    }

    /** A client of it gives up where its backend was ended; the others go on, and it exits with 2. Anything else is a fault. */
    private static void checkBench(int exitCode, String said) {
        List<String> errors =
                said.lines().filter(line -> line.startsWith("pgbench: error")).toList();
        boolean expected =
                errors.stream().allMatch(line -> GAVE_UP.matcher(line).matches());
        if (exitCode != (errors.isEmpty() ? 0 : 2) || !expected) {
            throw new AssertionError("pgbench exits with " + exitCode + ": " + said);
        }
    }

    /** Ends backends, and now and then lets the whole server restart, or crash and recover. */
    private void hurt(SplittableRandom random) throws Exception {
        long nextOutage = System.nanoTime() + outagesEveryNanos / 2;
        while (goesOn()) {
            pause(300 + random.nextInt(500));
            if (System.nanoTime() - nextOutage < 0) {
                endBackends(1 + random.nextInt(6));
            } else {
                nextOutage += outagesEveryNanos;
                if (restarts.sum() <= crashes.sum()) {
                    port.restartServer(Duration.ofMillis(200 + random.nextInt(1_000)));
                    restarts.increment();
                } else {
                    crash();
                }
            }
        }
    }

    private void endBackends(int most) {
        try (Connection direct = port.direct();
                Statement statement = direct.createStatement()) {
            statement.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where backend_type = 'client backend' and pid <> pg_backend_pid() limit " + most);
            killed.increment();
        } catch (SQLException recovering) {
            // and again
        }
    }

    /** A backend that is killed makes the server end all others and recover. */
    private void crash() throws Exception {
        try (Connection direct = port.direct();
                Statement statement = direct.createStatement();
                ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
            row.next();
            new ProcessBuilder("kill", "-9", row.getString(1)).start().waitFor();
            crashes.increment();
        } catch (SQLException endedWithIt) {
            // the connection is closed on a dead backend
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
        port.assertExactLedger();
        await("no client is left", () -> port.wire.clients().isEmpty());
        await("the audit finds no difference", () -> isWhole(audit()));
        if (audit().repaired() != 0) {
            throw new AssertionError("the ledger was repaired: " + audit());
        }
    }

    private LedgerAudit.Figures audit() {
        return port.database.status().audit();
    }

    private static boolean isWhole(LedgerAudit.Figures figures) {
        return figures.entries() == figures.sockets() && figures.entries() == figures.pooled();
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("not so: " + what);
            }
            pause(20);
        }
    }
}
