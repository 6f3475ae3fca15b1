package dev.headgate.wire.session;

import dev.headgate.protocol.FirstWords;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A portal that the client has bound to a statement that is kept prepared: what its Describe may be answered from.
 *
 * <p>libpq sends a Describe with every execution, also of a prepared statement, and so does what is built on it (psycopg, PHP, Ruby);
 * PostgreSQL looks up each column's type for it and sends their names again. That is some percent of a short query. The columns of
 * a prepared statement cannot change: where they would, the server refuses the Bind ("cached plan must not change result type",
 * RevalidateCachedQuery in PostgreSQL's plancache.c). So what it has said once of a connection's statement holds for that statement.
 *
 * @param name the server's name of the statement
 * @param isBinary whether its columns are bound in binary, all of them; if not, they are texts
 */
record Portal(Statement statement, String name, boolean isBinary) {

    /** Bytes of a RowDescription that is kept: of some 60 columns. */
    static final int MOST_COLUMNS = 2 * 1024;

    /** Their portals have the columns of the statement. Those of an EXECUTE or a FETCH have what it finds. */
    private static final Set<String> QUERIES =
            Set.of("SELECT", "VALUES", "TABLE", "WITH", "INSERT", "UPDATE", "DELETE", "MERGE");

    /**
     * The portal of a Bind message.
     *
     * @param from the position of the parameter formats
     * @return null if the message asks for columns of several formats, or is not complete
     */
    static @Nullable Portal of(Statement statement, String name, byte[] bind, int from, int end) {
        BoundParameters bound = BoundParameters.of(bind, from, end);
        if (bound == null || bound.end() + 2 > end) {
            return null;
        }
        int at = bound.end();
        return switch (FrameReader.int16(bind, at)) {
            case 0 -> at + 2 == end ? new Portal(statement, name, false) : null;
            case 1 -> at + 4 == end ? ofFormat(statement, name, FrameReader.int16(bind, at + 2)) : null;
            default -> null;
        };
    }

    private static @Nullable Portal ofFormat(Statement statement, String name, int format) {
        return switch (format) {
            case 0 -> new Portal(statement, name, false);
            case 1 -> new Portal(statement, name, true);
            default -> null;
        };
    }

    /** Whether all portals of the statement have the same columns. */
    boolean keepsItsColumns() {
        return !statement.isLong() && FirstWords.of(statement.sql(), 1).stream().anyMatch(QUERIES::contains);
    }
}
