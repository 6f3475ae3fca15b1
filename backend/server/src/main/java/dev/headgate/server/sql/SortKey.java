package dev.headgate.server.sql;

import dev.headgate.sql.Rows;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Set;

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

    static int compare(int type, Rows one, int column, Rows other, int otherColumn) {
        boolean firstNull = one.length(column) < 0;
        boolean secondNull = other.length(otherColumn) < 0;
        if (firstNull || secondNull) {
            return Boolean.compare(firstNull, secondNull);
        }
        if (isNumber(type)) {
            return numbers(String.valueOf(one.text(column)), String.valueOf(other.text(otherColumn)));
        }
        return Arrays.compareUnsigned(
                one.bytes(),
                one.offset(column),
                one.offset(column) + one.length(column),
                other.bytes(),
                other.offset(otherColumn),
                other.offset(otherColumn) + other.length(otherColumn));
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
