package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One JSON object, which leaves as a whole: {"results":[{"columns":[...],"data":[[...]],"rows":1}],"end":{...}}. */
final class JsonFormat implements AnswerFormat {

    private final Sink out;
    private final JsonRecords records;
    private int[] types = {};
    private boolean first = true;
    private boolean begun;

    /** A result is open. */
    private boolean within;

    JsonFormat(Sink out, JsonRecords records) {
        this.out = out;
        this.records = records;
        out.ascii("{\"results\":[");
    }

    private void begin() {
        if (!first) {
            out.put(',');
        }
        first = false;
        out.put('{');
    }

    @Override
    public void columns(int statement, List<Column> columns) {
        types = JsonRecords.types(columns);
        begin();
        records.columns(columns);
        out.ascii(",\"data\":[");
        begun = false;
        within = true;
    }

    @Override
    public void rows(Rows rows) {
        while (rows.next()) {
            if (begun) {
                out.put(',');
            }
            begun = true;
            records.row(rows, types);
        }
    }

    @Override
    public void done(int statement, String tag, long rows, boolean limited) {
        out.ascii("],");
        records.done(tag, rows, limited);
        out.put('}');
        within = false;
    }

    @Override
    public boolean failed(@Nullable Integer statement, SqlFailure why) {
        if (within) {
            out.ascii("],");
            within = false;
        } else {
            begin();
        }
        records.error(why);
        out.put('}');
        return true;
    }

    @Override
    public void end(Ending ending) {
        out.ascii("],");
        records.end(ending);
        out.ascii("}\n");
    }
}
