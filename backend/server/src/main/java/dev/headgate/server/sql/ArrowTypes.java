package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.postgresql.core.Oid;

/**
 * Arrow's types for PostgreSQL's, and how a text becomes a value. A type that Arrow cannot hold with all its values is a text there:
 * numeric has NaN and any number of digits. Dates and timestamps are Arrow's, although 'infinity' has no place: a value that cannot
 * be told is an error, never another value.
 */
final class ArrowTypes {

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

    private ArrowTypes() {}

    /** The field of a column, with PostgreSQL's name of its type in the metadata. */
    static Field field(Column column) {
        Map<String, String> metadata = Map.of("postgresql.type", Types.name(column.type()));
        return new Field(column.name(), new FieldType(true, type(column.type()), null, metadata), List.of());
    }

    private static ArrowType type(int type) {
        return switch (type) {
            case Oid.BOOL -> ArrowType.Bool.INSTANCE;
            case Oid.INT2 -> new ArrowType.Int(16, true);
            case Oid.INT4 -> new ArrowType.Int(32, true);
            case Oid.INT8 -> new ArrowType.Int(64, true);
            case Oid.FLOAT4 -> new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
            case Oid.FLOAT8 -> new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
            case Oid.BYTEA -> ArrowType.Binary.INSTANCE;
            case Oid.DATE -> new ArrowType.Date(DateUnit.DAY);
            case Oid.TIME -> new ArrowType.Time(TimeUnit.MICROSECOND, 64);
            case Oid.TIMESTAMP -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
            case Oid.TIMESTAMPTZ -> new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
            default -> ArrowType.Utf8.INSTANCE;
        };
    }

    /**
     * Sets a value.
     *
     * @param bytes holds PostgreSQL's text of it
     * @throws DateTimeException if Arrow's type has no place for it
     */
    static void set(FieldVector vector, int row, byte[] bytes, int from, int length) {
        switch (vector) {
            case VarCharVector texts -> texts.setSafe(row, bytes, from, length);
            case BitVector bits -> bits.setSafe(row, bytes[from] == 't' ? 1 : 0);
            case IntVector ints -> ints.setSafe(row, (int) whole(bytes, from, length));
            case BigIntVector longs -> longs.setSafe(row, whole(bytes, from, length));
            case SmallIntVector shorts -> shorts.setSafe(row, (short) whole(bytes, from, length));
            case Float4Vector floats -> floats.setSafe(row, Float.parseFloat(ascii(bytes, from, length)));
            case Float8Vector doubles -> doubles.setSafe(row, Double.parseDouble(ascii(bytes, from, length)));
            case VarBinaryVector binaries -> binaries.setSafe(row, binary(ascii(bytes, from, length)));
            case DateDayVector days -> days.setSafe(row, Math.toIntExact(day(ascii(bytes, from, length))));
            case TimeMicroVector times -> times.setSafe(row, ofDay(ascii(bytes, from, length)));
            case TimeStampVector moments -> moments.setSafe(row, moment(ascii(bytes, from, length)));
            default -> throw new IllegalStateException("no column has " + vector.getClass());
        }
    }

    private static String ascii(byte[] bytes, int from, int length) {
        return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    /** In the form "hex" of bytea_output. The form "escape" doubles a backslash at the begin, so it is none of these. */
    private static byte[] binary(String text) {
        if (!text.startsWith("\\x")) {
            throw untold(text);
        }
        return HexFormat.of().parseHex(text, 2, text.length());
    }

    private static long whole(byte[] bytes, int from, int length) {
        boolean negative = bytes[from] == '-';
        long value = 0; // counts down: the smallest number has no positive counterpart
        for (int at = negative ? from + 1 : from; at < from + length; at++) {
            value = 10 * value - (bytes[at] - '0');
        }
        return negative ? value : -value;
    }

    /** Days since 1970 of an ISO date such as {@code 2026-11-23} or {@code 0044-03-15 BC}. */
    private static long day(String text) {
        boolean before = text.endsWith(" BC");
        String[] parts = (before ? text.substring(0, text.length() - 3) : text).split("-", -1);
        if (parts.length != 3 || parts[0].length() < 4) { // other styles have the year last
            throw untold(text);
        }
        int year = Integer.parseInt(parts[0]);
        return LocalDate.of(before ? 1 - year : year, Integer.parseInt(parts[1]), Integer.parseInt(parts[2]))
                .toEpochDay();
    }

    /** Microseconds since midnight of {@code 17:33:01.25}. */
    private static long micros(String text) {
        int point = text.indexOf('.');
        String[] parts = (point < 0 ? text : text.substring(0, point)).split(":", -1);
        if (parts.length != 3) {
            throw untold(text);
        }
        long seconds =
                (Integer.parseInt(parts[0]) * 60L + Integer.parseInt(parts[1])) * 60 + Integer.parseInt(parts[2]);
        String fraction = point < 0 ? "" : text.substring(point + 1);
        long rest = fraction.isEmpty() ? 0 : Long.parseLong((fraction + "000000").substring(0, 6));
        return seconds * MICROS_PER_SECOND + rest;
    }

    /** The same of a value of a column. PostgreSQL has 24:00:00, Arrow has not. */
    private static long ofDay(String text) {
        long micros = micros(text);
        if (micros >= MICROS_PER_DAY) {
            throw untold(text);
        }
        return micros;
    }

    /** Microseconds since 1970 of {@code 2026-11-23 17:33:01.25+01}, with or without a zone. */
    private static long moment(String text) {
        boolean before = text.endsWith(" BC");
        String plain = before ? text.substring(0, text.length() - 3) : text;
        int space = plain.indexOf(' ');
        if (space < 0) {
            throw untold(text);
        }
        String time = plain.substring(space + 1);
        int zone = Math.max(time.indexOf('+'), time.indexOf('-'));
        long days = day(plain.substring(0, space) + (before ? " BC" : ""));
        long offset = zone < 0 ? 0 : offsetMicros(time.substring(zone));
        long ofDay = micros(zone < 0 ? time : time.substring(0, zone));
        return Math.addExact(Math.multiplyExact(days, MICROS_PER_DAY), ofDay - offset);
    }

    /** Of {@code +01}, {@code -03:30} or {@code +00:19:32}. */
    private static long offsetMicros(String zone) {
        String[] parts = zone.substring(1).split(":", -1);
        long seconds = 0;
        for (int i = 0; i < 3; i++) {
            seconds = 60 * seconds + (i < parts.length ? Integer.parseInt(parts[i]) : 0);
        }
        return (zone.charAt(0) == '-' ? -seconds : seconds) * MICROS_PER_SECOND;
    }

    private static DateTimeException untold(String text) {
        return new DateTimeException("Arrow has no place for '" + text + "'; cast the column to text");
    }
}
