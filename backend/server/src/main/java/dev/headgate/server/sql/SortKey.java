package dev.headgate.server.sql;

import dev.headgate.sql.Rows;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order of two values, as PostgreSQL sorts them: numbers by value, all others by the bytes of their text, as with the
 * collation "C". Dates and times in their default form are sorted so. NULL comes last.
 */
final class SortKey {

    /** int8, int2, int4, oid, float4, float8, numeric. */
    private static final Set<Integer> NUMBERS = Set.of(20, 21, 23, 26, 700, 701, 1700);

    private SortKey() {}

    static boolean isNumber(int type) {
        return NUMBERS.contains(type);
    }

    /** The bytes of a value's text; null for NULL. */
    static byte @Nullable [] of(Rows row, int column) {
        int from = row.offset(column);
        return row.length(column) < 0 ? null : Arrays.copyOfRange(row.bytes(), from, from + row.length(column));
    }

    /** @param one as {@link #of} gives it, as is the other */
    static int compare(int type, byte @Nullable [] one, byte @Nullable [] other) {
        if (one == null || other == null) {
            return Boolean.compare(one == null, other == null);
        }
        return isNumber(type) ? numbers(text(one), text(other)) : Arrays.compareUnsigned(one, other);
    }

    private static String text(byte[] number) {
        return new String(number, StandardCharsets.US_ASCII);
    }

    private static int numbers(String one, String other) {
        int byRank = Integer.compare(rank(one), rank(other));
        return byRank != 0 || rank(one) != 0 ? byRank : new BigDecimal(one).compareTo(new BigDecimal(other));
    }

    /** NaN is larger than Infinity, and that than every number. */
    private static int rank(String number) {
        return switch (number) {
            case "-Infinity" -> -1;
            case "Infinity" -> 1;
            case "NaN" -> 2;
            default -> 0;
        };
    }
}
