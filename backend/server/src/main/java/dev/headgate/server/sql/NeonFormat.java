package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answer that Neon's driver reads: one object for each statement, several of them within {"results":[...]}. */
final class NeonFormat implements AnswerFormat {

    private final Sink out;
    private final boolean several;
    private final boolean rawText;
    private final List<Boolean> arrays;
    private boolean asArrays;
    private List<Column> columns = List.of();
    private boolean begun;

    /**
     * @param rawText whether every value is PostgreSQL's text
     * @param arrays for each statement, whether its rows are arrays, not objects
     */
    NeonFormat(Sink out, boolean several, boolean rawText, List<Boolean> arrays) {
        this.out = out;
        this.several = several;
        this.rawText = rawText;
        this.arrays = arrays;
        if (several) {
            out.ascii("{\"results\":[");
        }
    }

    @Override
    public void columns(int statement, List<Column> described) {
        if (statement > 0) {
            out.put(',');
        }
        columns = described;
        asArrays = arrays.get(statement);
        begun = false;
        out.ascii("{\"rowAsArray\":" + asArrays + ",\"fields\":[");
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            out.ascii(i == 0 ? "{\"name\":" : ",{\"name\":");
            out.string(column.name());
            out.ascii(",\"dataTypeID\":" + Integer.toUnsignedString(column.type()) + ",\"tableID\":"
                    + Integer.toUnsignedString(column.table()) + ",\"columnID\":" + column.number()
                    + ",\"dataTypeSize\":" + column.size() + ",\"dataTypeModifier\":" + column.modifier()
                    + ",\"format\":\"text\"}");
        }
        out.ascii("],\"rows\":[");
    }

    @Override
    public void rows(Rows rows) {
        while (rows.next()) {
            if (begun) {
                out.put(',');
            }
            begun = true;
            out.put(asArrays ? '[' : '{');
            for (int i = 0; i < rows.columns(); i++) {
                if (i > 0) {
                    out.put(',');
                }
                if (!asArrays) {
                    out.string(columns.get(i).name());
                    out.put(':');
                }
                value(rows, i);
            }
            out.put(asArrays ? ']' : '}');
        }
    }

    private void value(Rows rows, int column) {
        int length = rows.length(column);
        if (length < 0) {
            out.ascii("null");
        } else if (rawText) {
            JsonText.quote(rows.bytes(), rows.offset(column), length, out);
        } else {
            JsonValues.write(columns.get(column).type(), rows.bytes(), rows.offset(column), length, out);
        }
    }

    @Override
    public void done(int statement, String tag, long rows, boolean limited) {
        out.ascii("],\"command\":");
        out.string(Tags.firstWord(tag)); // as Neon's proxy does
        long counted = Tags.rows(tag);
        out.ascii(",\"rowCount\":" + (counted < 0 ? "null" : String.valueOf(counted)) + "}");
    }

    @Override
    public boolean failed(@Nullable Integer statement, SqlFailure why) {
        return false;
    }

    @Override
    public void end(Ending ending) {
        if (several) {
            out.ascii("]}");
        }
    }
}
