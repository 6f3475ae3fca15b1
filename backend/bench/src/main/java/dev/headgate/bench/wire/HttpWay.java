package dev.headgate.bench.wire;

import java.io.IOException;

/** By one request to the service with all queries as its statements, each for itself. */
final class HttpWay implements Way {

    private final SqlReader reader;

    HttpWay(Service service, String domain) throws IOException {
        reader = SqlReader.of(service, domain, "application/x-ndjson", QUERY);
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
        reader.ask(body.append("]}").toString());
        return sum(reader.readText());
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
        reader.close();
    }
}
