package dev.headgate.bench.wire;

import dev.headgate.lab.queries.Way;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** By one request to the service with all queries as its statements, each for itself. */
final class HttpWay implements Way {

    private final Service service;
    private final String domain;
    private @Nullable SqlReader reader;

    HttpWay(Service service, String domain) {
        this.service = service;
        this.domain = domain;
    }

    /** Connects when it is needed: the service closes connections without a request. */
    private SqlReader reader() throws IOException {
        SqlReader present = reader;
        if (present == null) {
            present = SqlReader.of(service, domain, "application/x-ndjson", QUERY);
            reader = present;
        }
        return present;
    }

    @Override
    public long run(int[] keys) throws IOException, InterruptedException {
        StringBuilder body = new StringBuilder("{\"statements\":[");
        for (int i = 0; i < keys.length; i++) {
            body.append(i == 0 ? "{\"sql\":\"" : ",{\"sql\":\"")
                    .append(QUERY)
                    .append("\",\"params\":[")
                    .append(keys[i])
                    .append("]}");
        }
        reader().ask(body.append("]}").toString());
        return sum(reader().readText());
    }

    /** Of the first values of all rows, which are the records that are arrays. */
    private static long sum(String records) {
        long sum = 0;
        for (int at = 0; at < records.length(); at = records.indexOf('\n', at) + 1) {
            if (records.charAt(at) == '[') {
                sum += Integer.parseInt(records, at + 1, records.indexOf(',', at), 10);
            }
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        SqlReader present = reader;
        if (present != null) {
            present.close();
        }
    }
}
