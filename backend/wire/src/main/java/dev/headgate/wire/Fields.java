package dev.headgate.wire;

import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.ProtocolException;
import java.io.IOException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** ErrorResponse and NoticeResponse: fields of a letter and a text each (PostgreSQL documentation, "Error and Notice Message Fields"). */
final class Fields {

    private Fields() {}

    static void error(FrameWriter out, String severity, String state, @Nullable String message, String detail)
            throws IOException {
        write(out, 'E', severity, state, message == null ? "" : message, detail);
    }

    static void notice(FrameWriter out, String message, String detail) throws IOException {
        write(out, 'N', "NOTICE", "00000", message, detail);
    }

    private static void write(FrameWriter out, char type, String severity, String state, String message, String detail)
            throws IOException {
        String[] fields = detail.isEmpty()
                ? new String[] {"S" + severity, "V" + severity, "C" + state, "M" + message}
                : new String[] {"S" + severity, "V" + severity, "C" + state, "M" + message, "D" + detail};
        int length = 1;
        for (String field : fields) {
            length += FrameWriter.sizeOf(field);
        }
        out.header(type, length);
        for (String field : fields) {
            out.cString(field);
        }
        out.write(new byte[1], 0, 1);
    }

    /** What an ErrorResponse says. */
    static SQLException failure(byte[] body) throws ProtocolException {
        String message = "";
        String state = "XX000";
        for (int at = 0; at < body.length && body[at] != 0; ) {
            String field = FrameReader.cString(body, at);
            if (field.charAt(0) == 'M') {
                message = field.substring(1);
            } else if (field.charAt(0) == 'C') {
                state = field.substring(1);
            }
            at = FrameReader.after(body, at);
        }
        return new SQLException(message, state);
    }
}
