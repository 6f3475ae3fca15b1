package dev.headgate.lab.scaleup;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.Client;
import dev.headgate.lab.pools.FixedPool;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A process that does nothing but distributed bookings, on several threads, until it is killed. */
final class DoomedProcess {

    static final String COORDINATOR = "process";
    static final String READY = "booking";
    private static final int THREADS = 3;

    private DoomedProcess() {}

    /** {@code PORT DATABASE...}: the databases are a split bank's. Says {@value #READY} after a hundred bookings. */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) throws Exception {
        Engine engine = Engine.start(COORDINATOR, EngineListener.NONE);
        List<Pool> pools = new ArrayList<>();
        for (String name : List.of(arguments).subList(1, arguments.length)) {
            Target target = Target.of(
                            name, "127.0.0.1", Integer.parseInt(arguments[0]), name, "postgres", "postgres", THREADS)
                    .withSslMode(Target.SslMode.DISABLE);
            pools.add(FixedPool.open(engine.open(target), COORDINATOR + "-" + name, THREADS));
        }
        SplitBank bank = new SplitBank(pools);
        Coordinator coordinator = new Coordinator(COORDINATOR, bank, step -> {});
        for (int i = 0; i < THREADS; i++) {
            Client client = new Client(new SplittableRandom(i), nanos -> {});
            boolean tells = i == 0;
            Thread _ = Thread.ofPlatform().start(() -> {
                for (int n = 0; ; n++) {
                    try {
                        coordinator.book(bank.draw(client, 1));
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                    if (tells && n == 100) {
                        System.out.println(READY);
                    }
                }
            });
        }
    }
}
