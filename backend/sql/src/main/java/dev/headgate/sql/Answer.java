package dev.headgate.sql;

import java.util.List;

/**
 * A part of the answer to a round. For each statement: its columns, rows, and that it is done; or that it failed, which ends
 * the round's statements. Then that the round has ended.
 */
public sealed interface Answer {

    /** Bytes of an object with a few fields. */
    long SMALL = 64;

    /** About how many bytes it takes until it is read. */
    long size();

    /** The columns of the statement's rows; empty for a statement without rows. */
    record Columns(List<Column> columns) implements Answer {
        @Override
        public long size() {
            long names =
                    columns.stream().mapToLong(column -> column.name().length()).sum();
            return SMALL * (1L + columns.size()) + names;
        }
    }

    /** Some of its rows. */
    record Some(Rows rows) implements Answer {
        @Override
        public long size() {
            return rows.size();
        }
    }

    /**
     * The statement is done.
     *
     * @param tag the server's command tag, such as "INSERT 0 3"; empty for an empty statement
     * @param limited whether it reached its {@link Query#mostRows}: there may be more rows
     */
    record Done(String tag, boolean limited) implements Answer {
        @Override
        public long size() {
            return SMALL + tag.length();
        }
    }

    /** The statement failed. Those after it in the round are not executed. */
    record Failed(SqlFailure why) implements Answer {
        @Override
        public long size() {
            return SMALL + why.size();
        }
    }

    /**
     * The round has ended.
     *
     * @param transaction 'I' outside a transaction, 'T' within one, 'E' within a failed one
     * @param connection the id of the connection that executed it; empty if none did
     * @param waitedNanos how long the session has waited for connections so far
     */
    record Ended(char transaction, String connection, long waitedNanos) implements Answer {
        @Override
        public long size() {
            return SMALL;
        }
    }
}
