package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.ProtocolException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A startup message (PostgreSQL documentation, "StartupMessage").
 *
 * @param minor the requested minor version of the protocol
 * @param parameters by name
 * @param unknownOptions the requested protocol options; Headgate knows none
 */
record Greeting(int minor, Map<String, String> parameters, List<String> unknownOptions) {

    String user() {
        return parameters.getOrDefault("user", "");
    }

    /** The domain, or the console. */
    String database() {
        return parameters.getOrDefault("database", user());
    }

    String application() {
        return parameters.getOrDefault("application_name", "");
    }

    /** @param body the message after its length and version */
    static Greeting of(int minor, byte[] body) throws ProtocolException {
        Map<String, String> parameters = new LinkedHashMap<>();
        List<String> unknown = new ArrayList<>();
        int at = 0;
        while (at < body.length && body[at] != 0) {
            String name = FrameReader.cString(body, at);
            at = FrameReader.after(body, at, body.length);
            String value = FrameReader.cString(body, at);
            at = FrameReader.after(body, at, body.length);
            if (name.startsWith("_pq_.")) {
                unknown.add(name);
            } else {
                parameters.put(name, value);
            }
        }
        return new Greeting(minor, parameters, unknown);
    }
}
