package dev.headgate.lab.experiment;

import java.util.List;

/**
 * Figures in rows, as text with a fitting number of digits.
 *
 * @param columns their headings, with units
 * @param rows each with as many cells as there are columns
 */
public record Table(String title, List<String> columns, List<List<String>> rows) {

    public Table {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        title + ": " + row.size() + " cells for " + columns.size() + " columns");
            }
        }
    }
}
