package dev.headgate.server.history;

import dev.headgate.server.history.ConnectionPeriod.Cell;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Generated seconds of a domain's connections, the same for the same seed. Every half hour all are others. */
final class CellsOfConnections {

    private static final int LIFE_SECONDS = 1_800;

    private final Random random;
    private final int connections;
    private final double perSecond;

    /** @param perSecond requests of each connection, on average */
    CellsOfConnections(long seed, int connections, double perSecond) {
        this.random = new Random(seed);
        this.connections = connections;
        this.perSecond = perSecond;
    }

    ConnectionPeriod second(long start) {
        List<Cell> cells = new ArrayList<>(connections);
        for (int n = 0; n < connections; n++) {
            long number = (start + (long) n * LIFE_SECONDS / connections) / LIFE_SECONDS * connections + n;
            int requests = random.nextInt(10) == 0 ? 0 : (int) (2 * perSecond * random.nextDouble());
            long micros = 0;
            long most = 0;
            for (int request = 0; request < requests; request++) {
                long length = (long) (3_000 * Math.exp(0.7 * random.nextGaussian()));
                micros += length;
                most = Math.max(most, length);
            }
            cells.add(new Cell("bank-" + number, 1, requests, micros, most, Math.min(1_000, micros / 1_000)));
        }
        return new ConnectionPeriod(start, cells);
    }
}
