package dev.headgate.server.sql;

import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A record for each line: columns, rows as arrays, and a last record that tells success from failure. */
final class NdjsonFormat implements AnswerFormat {

    private final Sink out;
    private final JsonRecords records;
    private final boolean several;
    private int[] types = {};

    NdjsonFormat(Sink out, JsonRecords records, boolean several) {
        this.out = out;
        this.records = records;
        this.several = several;
    }

    private @Nullable Integer shown(@Nullable Integer statement) {
        return several ? statement : null;
    }

    @Override
    public void columns(int statement, List<Column> columns) {
        types = JsonRecords.types(columns);
        out.put('{');
        records.columns(columns);
        records.statement(shown(statement));
        out.ascii("}\n");
    }

    @Override
    public void rows(Rows rows) {
        while (rows.next()) {
            records.row(rows, types);
            out.put('\n');
        }
    }

    @Override
    public void done(int statement, String tag, long rows, boolean limited) {
        out.ascii("{\"done\":{");
        records.done(tag, rows, limited);
        out.put('}');
        records.statement(shown(statement));
        out.ascii("}\n");
    }

    @Override
    public boolean failed(@Nullable Integer statement, SqlFailure why) {
        out.put('{');
        records.error(why);
        records.statement(shown(statement));
        out.ascii("}\n");
        return true;
    }

    @Override
    public void end(Ending ending) {
        out.put('{');
        records.end(ending);
        out.ascii("}\n");
    }
}
