package dev.headgate.sql;

/**
 * What the answers to a session may be at most. A session whose answers are longer ends with 54000.
 *
 * @param row the most bytes of one row
 * @param rows the most rows of one answer; zero for no bound
 * @param bytes the most bytes of all answers together; zero for no bound
 */
public record Bounds(int row, long rows, long bytes) {

    /** Rows of up to 16 MB, as many as there are. */
    public static final Bounds DEFAULT = new Bounds(16 * 1024 * 1024, 0, 0);
}
