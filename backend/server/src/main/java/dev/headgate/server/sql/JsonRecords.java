package dev.headgate.server.sql;

import dev.headgate.server.problems.SqlErrorJson;
import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** The records that both JSON formats are made of. */
final class JsonRecords {

    private final Sink out;
    private final JsonMapper json;

    JsonRecords(Sink out, JsonMapper json) {
        this.out = out;
        this.json = json;
    }

    /** "columns":[...] */
    void columns(List<Column> columns) {
        out.ascii("\"columns\":[");
        String separator = "";
        for (Column column : columns) {
            out.ascii(separator);
            separator = ",";
            out.ascii("{\"name\":");
            out.string(column.name());
            out.ascii(",\"type\":");
            out.string(Types.name(column.type()));
            out.put('}');
        }
        out.put(']');
    }

    /** The current row as an array. */
    void row(Rows rows, int[] types) {
        byte[] bytes = rows.bytes();
        out.put('[');
        for (int i = 0; i < rows.columns(); i++) {
            if (i > 0) {
                out.put(',');
            }
            int length = rows.length(i);
            if (length < 0) {
                out.ascii("null");
            } else {
                JsonValues.write(types[i], bytes, rows.offset(i), length, out);
            }
        }
        out.put(']');
    }

    /** "rows":3,"command":"INSERT" and, if so, "limited":true */
    void done(String tag, long rows, boolean limited) {
        out.ascii("\"rows\":" + rows);
        if (!tag.isEmpty()) {
            out.ascii(",\"command\":");
            out.string(Tags.command(tag));
        }
        if (limited) {
            out.ascii(",\"limited\":true");
        }
    }

    /** "error":{...} */
    void error(SqlFailure why) {
        SqlErrorJson error = SqlStates.json(why);
        out.ascii("\"error\":");
        out.text(json.writeValueAsString(error));
    }

    /** "end":{...} */
    void end(AnswerFormat.Ending ending) {
        out.ascii(String.format(
                Locale.ROOT,
                "\"end\":{\"rows\":%d,\"elapsedMs\":%.3f,\"waitedMs\":%.3f,\"connection\":",
                ending.rows(),
                ending.elapsedMs(),
                ending.waitedMs()));
        out.string(ending.connection());
        out.put('}');
    }

    /** ,"statement":1 where it is one of several */
    void statement(@Nullable Integer statement) {
        if (statement != null) {
            out.ascii(",\"statement\":" + statement);
        }
    }

    static int[] types(List<Column> columns) {
        return columns.stream().mapToInt(Column::type).toArray();
    }
}
