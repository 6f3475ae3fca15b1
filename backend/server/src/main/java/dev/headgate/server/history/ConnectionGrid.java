package dev.headgate.server.history;

import dev.headgate.server.api.Millis;
import dev.headgate.server.history.ConnectionPeriod.Cell;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Puts the periods of connections into columns, in any order, and answers them. For one thread. */
final class ConnectionGrid {

    /** Connections of an answer. Of more, those are left out that were seen last the longest ago. */
    static final int MOST_CONNECTIONS = 1_000;

    private final int step;
    private final @Nullable String only;
    private final Set<Long> columns = new TreeSet<>();
    private final Map<String, Map<Long, Cell>> rows = new LinkedHashMap<>();

    /**
     * @param step the length of a column, in seconds
     * @param only the connection that is wanted; null for all
     */
    ConnectionGrid(int step, @Nullable String only) {
        this.step = step;
        this.only = only;
    }

    void add(ConnectionPeriod period) {
        long column = Math.floorDiv(period.start(), (long) step) * step;
        columns.add(column);
        for (Cell cell : period.cells()) {
            if (only == null || only.equals(cell.id())) {
                rows.computeIfAbsent(cell.id(), id -> new HashMap<>()).merge(column, cell, Cell::plus);
            }
        }
    }

    ConnectionHistoryJson toJson() {
        Map<String, Map<Long, Cell>> shown = shown();
        List<ConnectionHistoryJson.Row> made = new ArrayList<>(shown.size());
        shown.forEach((id, cells) -> made.add(new ConnectionHistoryJson.Row(
                id,
                column(cells, cell -> Millis.of(cell.p99Micros() * 1_000)),
                column(
                        cells,
                        cell -> cell.requests() == 0
                                ? 0.0
                                : Millis.of((double) cell.micros() * 1e3 / (double) cell.requests())),
                column(
                        cells,
                        cell -> Millis.rate(Math.min(1, (double) cell.busyMillis() / 1e3 / (double) cell.seconds()))),
                column(cells, Cell::requests))));
        return new ConnectionHistoryJson(
                step * 1_000L,
                columns.stream()
                        .map(start -> Instant.ofEpochSecond(start + step))
                        .toList(),
                made,
                rows.size() - shown.size());
    }

    private Map<String, Map<Long, Cell>> shown() {
        if (rows.size() <= MOST_CONNECTIONS) {
            return rows;
        }
        Comparator<Map.Entry<String, Map<Long, Cell>>> latest =
                Comparator.comparingLong(row -> row.getValue().keySet().stream()
                        .mapToLong(Long::longValue)
                        .max()
                        .orElse(0));
        Set<String> kept = rows.entrySet().stream()
                .sorted(latest.reversed())
                .limit(MOST_CONNECTIONS)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<String, Map<Long, Cell>> shown = new LinkedHashMap<>(rows);
        shown.keySet().retainAll(kept);
        return shown;
    }

    private <T> List<@Nullable T> column(Map<Long, Cell> cells, Function<Cell, T> figure) {
        List<@Nullable T> values = new ArrayList<>(columns.size());
        for (long start : columns) {
            Cell cell = cells.get(start);
            values.add(cell == null ? null : figure.apply(cell));
        }
        return values;
    }
}
