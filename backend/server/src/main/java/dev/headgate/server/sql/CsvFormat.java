package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * CSV with a header (RFC 4180), the values as PostgreSQL's texts. NULL is nothing, an empty text is {@code ""}, as COPY writes
 * and reads them; so the NULL of a single column is an empty line, and {@code \.}, which COPY takes for the end, is quoted. It has no
 * place for an error: an answer that breaks off is incomplete.
 */
final class CsvFormat implements AnswerFormat {

    private final Sink out;

    CsvFormat(Sink out) {
        this.out = out;
    }

    @Override
    public void columns(int statement, List<Column> columns) {
        if (columns.isEmpty()) { // a command that answers no rows
            return;
        }
        for (int i = 0; i < columns.size(); i++) {
            if (i > 0) {
                out.put(',');
            }
            byte[] name = columns.get(i).name().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            value(name, 0, name.length);
        }
        lineEnd();
    }

    @Override
    public void rows(Rows rows) {
        byte[] bytes = rows.bytes();
        while (rows.next()) {
            for (int i = 0; i < rows.columns(); i++) {
                if (i > 0) {
                    out.put(',');
                }
                int length = rows.length(i);
                if (length >= 0) {
                    value(bytes, rows.offset(i), length);
                }
            }
            lineEnd();
        }
    }

    private void lineEnd() {
        out.put('\r');
        out.put('\n');
    }

    private void value(byte[] bytes, int from, int length) {
        if (isPlain(bytes, from, length)) {
            out.write(bytes, from, length);
            return;
        }
        out.put('"');
        int plain = from;
        int to = from + length;
        for (int at = from; at < to; at++) {
            if (bytes[at] == '"') {
                out.write(bytes, plain, at + 1 - plain);
                out.put('"');
                plain = at + 1;
            }
        }
        out.write(bytes, plain, to - plain);
        out.put('"');
    }

    private static boolean isPlain(byte[] bytes, int from, int length) {
        for (int at = from; at < from + length; at++) {
            byte each = bytes[at];
            if (each == ',' || each == '"' || each == '\n' || each == '\r') {
                return false;
            }
        }
        return length > 0 && bytes[from] != ' ' && bytes[from + length - 1] != ' ' && !isEndOfCopy(bytes, from, length);
    }

    private static boolean isEndOfCopy(byte[] bytes, int from, int length) {
        return length == 2 && bytes[from] == '\\' && bytes[from + 1] == '.';
    }

    @Override
    public void done(int statement, String tag, long rows, boolean limited) {
        // the rows say it
    }

    @Override
    public boolean failed(@Nullable Integer statement, SqlFailure why) {
        return false;
    }

    @Override
    public void end(Ending ending) {
        // the end of the chunks says it
    }
}
