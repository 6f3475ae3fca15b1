package dev.headgate.bench.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * One HTTP connection that sends a request again and again, with as little work as possible: what is measured is the service.
 * Belongs to one thread.
 */
final class SqlReader implements AutoCloseable {

    private final Socket socket;
    private final InputStream in;
    private final String head;
    private byte[] request = {};

    /** What was read and not taken: from {@link #from} to {@link #to}. */
    private final byte[] scratch = new byte[64 * 1024];

    private int from;
    private int to;

    /** More than a last record has. */
    private static final int TAIL = 512;

    private final byte[] tail = new byte[TAIL];
    private int tailed;

    /**
     * What was read of an answer.
     *
     * @param bytes of the body
     * @param firstRowNanos from the request to the first bytes of the body
     * @param tail its last {@value #TAIL} bytes
     */
    record Reading(long bytes, long firstRowNanos, String tail) {

        /** @throws IOException unless its last record says that these are all the rows; an answer may end with an error instead */
        void requireRows(long rows) throws IOException {
            requireLast("{\"end\":{\"rows\":" + rows + ",");
        }

        /** @throws IOException unless its last line begins so */
        void requireLast(String beginning) throws IOException {
            String last = tail.substring(tail.lastIndexOf('\n', tail.length() - 2) + 1);
            if (!last.startsWith(beginning)) {
                throw new IOException("the answer ends with " + last.strip());
            }
        }
    }

    /** @param headers each with its line end */
    SqlReader(int port, String path, String headers, String body) throws IOException {
        this.head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Content-Length: ";
        ask(body);
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        this.in = socket.getInputStream();
    }

    /** Asks a domain for the rows of a statement. */
    static SqlReader of(Service service, String domain, String accept, String sql) throws IOException {
        return new SqlReader(
                service.httpPort(),
                "/api/v1/domains/" + domain + "/sql",
                headers(service, accept),
                "{\"sql\": \"" + sql + "\"}");
    }

    /** The headers of a request to the API. */
    static String headers(Service service, String accept) throws IOException {
        return "Authorization: Bearer " + service.token() + "\r\nContent-Type: application/json\r\nAccept: " + accept
                + "\r\n";
    }

    /** Sets the body of the next requests. */
    void ask(String body) {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        request = (head + length + "\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8);
    }

    /** Sends the request and returns the body of its answer. */
    String readText() throws IOException, InterruptedException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        Reading _ = read(0, body);
        return body.toString(StandardCharsets.UTF_8);
    }

    /**
     * Sends the request and reads its answer.
     *
     * @param bytesPerSecond reads no faster; 0 for as fast as it can
     * @throws IOException for any status but 200, and for an answer that breaks off
     */
    Reading read(long bytesPerSecond) throws IOException, InterruptedException {
        return read(bytesPerSecond, OutputStream.nullOutputStream());
    }

    private Reading read(long bytesPerSecond, OutputStream body) throws IOException, InterruptedException {
        long began = System.nanoTime();
        tailed = 0;
        socket.getOutputStream().write(request);
        String status = line();
        long length = -1;
        for (String header = line(); !header.isEmpty(); header = line()) {
            if (header.regionMatches(true, 0, "Content-Length:", 0, 15)) {
                length = Long.parseLong(header.substring(15).strip());
            }
        }
        if (!status.contains(" 200 ")) {
            ByteArrayOutputStream problem = new ByteArrayOutputStream();
            take(Math.max(0, length), 0, problem);
            throw new IOException(status + " " + problem.toString(StandardCharsets.UTF_8));
        }
        if (length >= 0) {
            long first = System.nanoTime() - began;
            take(length, bytesPerSecond, body);
            return new Reading(length, first, tail());
        }
        long bytes = 0;
        long first = 0;
        for (long size = Long.parseLong(line(), 16); size > 0; size = Long.parseLong(line(), 16)) {
            if (first == 0) {
                first = System.nanoTime() - began;
            }
            take(size, bytesPerSecond, body);
            bytes += size;
            String _ = line();
        }
        String _ = line();
        return new Reading(bytes, first, tail());
    }

    private void take(long bytes, long perSecond, OutputStream body) throws IOException, InterruptedException {
        long left = bytes;
        while (left > 0) {
            fill();
            int got = (int) Math.min(left, to - from);
            body.write(scratch, from, got);
            keepTail(got);
            from += got;
            left -= got;
            if (perSecond > 0) {
                Thread.sleep(java.time.Duration.ofNanos(got * 1_000_000_000L / perSecond));
            }
        }
    }

    /** Reads more, if all that was read is taken. */
    private void fill() throws IOException {
        if (from == to) {
            int got = in.read(scratch);
            if (got < 0) {
                throw new IOException("the answer broke off");
            }
            from = 0;
            to = got;
        }
    }

    private void keepTail(int got) {
        int fresh = Math.min(got, TAIL);
        int kept = Math.min(tailed, TAIL - fresh);
        System.arraycopy(tail, tailed - kept, tail, 0, kept);
        System.arraycopy(scratch, from + got - fresh, tail, kept, fresh);
        tailed = kept + fresh;
    }

    private String tail() {
        return new String(tail, 0, tailed, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        String line = "";
        while (true) {
            fill();
            int begin = from;
            while (from < to && scratch[from] != '\n') {
                from++;
            }
            line += new String(scratch, begin, from - begin, StandardCharsets.ISO_8859_1);
            if (from < to) {
                from++;
                return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
