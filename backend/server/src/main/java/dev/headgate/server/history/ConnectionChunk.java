package dev.headgate.server.history;

import dev.headgate.server.history.ConnectionPeriod.Cell;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Up to {@value Chunk#ROWS} periods of all connections of one domain, encoded: a row of the store. Immutable.
 *
 * <p>The body is a byte for the version, and deflated numbers ({@link Columnar}): how many periods, their places in the chunk, how many
 * connections, their names, for each connection the seconds that each period measured (0 where it was not open), and then each
 * figure, connection by connection, as the difference from the period before in which it was open.
 */
final class ConnectionChunk {

    private static final byte VERSION = 1;

    /** Connections of one chunk. More are left out when it is read. */
    private static final int MOST_CONNECTIONS = 100_000;

    private static final int MOST_NAME = 200;

    /** More than any chunk inflates to that is not damaged. */
    private static final int MOST_BYTES = 256 << 20;

    private static final List<ToLongFunction<Cell>> FIGURES =
            List.of(Cell::requests, Cell::micros, Cell::p99Micros, Cell::busyMillis);

    private final Resolution resolution;
    private final long start;
    private final long finish;
    private final byte[] body;

    /**
     * A stored chunk. Takes ownership of the bytes.
     *
     * @param start of its first period, in seconds since the epoch
     * @param finish in seconds since the epoch, not included. It holds all that was measured from {@code start} until then
     */
    ConnectionChunk(Resolution resolution, long start, long finish, byte[] body) {
        this.resolution = resolution;
        this.start = start;
        this.finish = finish;
        this.body = body;
    }

    /** @param periods in order, each at most once, all within {@link Chunk#ROWS} periods from {@code start} on */
    static ConnectionChunk of(Resolution resolution, long start, long finish, List<ConnectionPeriod> periods) {
        Columnar.Writer out = new Columnar.Writer();
        out.put(periods.size());
        Map<String, Cell[]> rows = new LinkedHashMap<>();
        for (int column = 0; column < periods.size(); column++) {
            ConnectionPeriod period = periods.get(column);
            long place = (period.start() - start) / resolution.seconds();
            if (period.start() < start || place >= Chunk.ROWS) {
                throw new IllegalArgumentException("second " + period.start() + " is not in the chunk from " + start);
            }
            out.put(place);
            for (Cell cell : period.cells()) {
                rows.computeIfAbsent(cell.id(), id -> new Cell[periods.size()])[column] = cell;
            }
        }
        out.put(rows.size());
        for (String id : rows.keySet()) {
            byte[] name = id.getBytes(StandardCharsets.UTF_8);
            out.put(name.length);
            for (byte each : name) {
                out.put(each & 0xff);
            }
        }
        for (Cell[] row : rows.values()) {
            for (Cell cell : row) {
                out.put(cell == null ? 0 : cell.seconds());
            }
        }
        for (ToLongFunction<Cell> figure : FIGURES) {
            for (Cell[] row : rows.values()) {
                long before = 0;
                for (Cell cell : row) {
                    if (cell != null) {
                        long value = figure.applyAsLong(cell);
                        out.putSigned(value - before);
                        before = value;
                    }
                }
            }
        }
        return new ConnectionChunk(resolution, start, finish, out.deflated(VERSION));
    }

    Resolution resolution() {
        return resolution;
    }

    /** In seconds since the epoch. */
    long start() {
        return start;
    }

    /** In seconds since the epoch, not included. */
    long finish() {
        return finish;
    }

    byte[] body() {
        return body;
    }

    /**
     * Decodes it, oldest first.
     *
     * @throws IllegalArgumentException if the body is damaged, or of a newer Headgate
     */
    List<ConnectionPeriod> periods() {
        if (body.length == 0 || body[0] != VERSION) {
            throw new IllegalArgumentException("a chunk of an unknown version");
        }
        Columnar.Reader in = new Columnar.Reader(body, MOST_BYTES);
        int columns = in.nextBelow(Chunk.ROWS + 1);
        List<ConnectionPeriod> periods = new ArrayList<>(columns);
        for (int column = 0; column < columns; column++) {
            periods.add(new ConnectionPeriod(
                    start + (long) in.nextBelow(Chunk.ROWS) * resolution.seconds(), new ArrayList<>()));
        }
        String[] ids = new String[in.nextBelow(MOST_CONNECTIONS + 1)];
        for (int row = 0; row < ids.length; row++) {
            byte[] name = new byte[in.nextBelow(MOST_NAME + 1)];
            for (int at = 0; at < name.length; at++) {
                name[at] = (byte) in.nextBelow(256);
            }
            ids[row] = new String(name, StandardCharsets.UTF_8);
        }
        int[][] seconds = new int[ids.length][columns];
        for (int[] row : seconds) {
            for (int column = 0; column < columns; column++) {
                row[column] = in.nextBelow(resolution.seconds() + 1);
            }
        }
        long[][][] figures = new long[FIGURES.size()][ids.length][columns];
        for (long[][] figure : figures) {
            for (int row = 0; row < ids.length; row++) {
                long before = 0;
                for (int column = 0; column < columns; column++) {
                    if (seconds[row][column] > 0) {
                        before += in.nextSigned();
                        figure[row][column] = before;
                    }
                }
            }
        }
        if (!in.isAtEnd()) {
            throw new IllegalArgumentException("more than a chunk");
        }
        for (int row = 0; row < ids.length; row++) {
            for (int column = 0; column < columns; column++) {
                if (seconds[row][column] > 0) {
                    periods.get(column)
                            .cells()
                            .add(new Cell(
                                    ids[row],
                                    seconds[row][column],
                                    figures[0][row][column],
                                    figures[1][row][column],
                                    figures[2][row][column],
                                    figures[3][row][column]));
                }
            }
        }
        return periods;
    }

    @Override
    public String toString() {
        return resolution + " of connections from " + start + " in " + body.length + " bytes";
    }
}
