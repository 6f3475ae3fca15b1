package dev.headgate.lab.web;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Clients that read rows, as fast as a line of a stated speed brings them. A row ends with a carriage return.
 *
 * @param bytesPerSecond of each reader; 0 for no limit
 * @param patience after which a request fails
 */
record Readers(long bytesPerSecond, Duration patience) {

    private static final int CHUNK = 16 * 1024;

    /**
     * One complete answer. Times are milliseconds since the request.
     *
     * @param firstByteMs to the answer's first byte
     * @param firstRowMs to the end of the first row
     * @param closeMs to the end of the answer
     */
    record Read(double firstByteMs, double firstRowMs, double closeMs, long bytes) {}

    /**
     * What all of them read.
     *
     * @param failed requests that broke off, had other than the expected rows, or took too long
     * @param seconds until the last one ended
     */
    record Outcome(List<Read> reads, int failed, double seconds) {

        double megabytesPerSecond() {
            return reads.stream().mapToLong(Read::bytes).sum() / 1e6 / seconds;
        }
    }

    /** Sends as many requests at once, and blocks until all have ended. */
    Outcome read(URI address, int readers, int rows) throws InterruptedException {
        HttpClient client;
        List<Future<Read>> reads = new ArrayList<>();
        int failed = 0;
        long begin = System.nanoTime();
        List<Read> complete = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            client = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .executor(threads)
                    .build();
            try {
                for (int i = 0; i < readers; i++) {
                    reads.add(threads.submit(() -> read(client, address, rows)));
                }
                for (Future<Read> read : reads) {
                    try {
                        long left = patience.toNanos() - (System.nanoTime() - begin);
                        complete.add(read.get(Math.max(1, left), TimeUnit.NANOSECONDS));
                    } catch (ExecutionException | TimeoutException e) {
                        failed++;
                    }
                }
            } finally {
                client.shutdownNow();
                threads.shutdownNow();
            }
        }
        return new Outcome(complete, failed, (System.nanoTime() - begin) / 1e9);
    }

    private Read read(HttpClient client, URI address, int rows) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        double firstByte;
        double firstRow = 0;
        long bytes = 0;
        int found = 0;
        try (InputStream body = client.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofInputStream())
                .body()) {
            firstByte = millis(begin);
            byte[] chunk = new byte[CHUNK];
            for (int count = body.read(chunk); count >= 0; count = body.read(chunk)) {
                for (int i = 0; i < count; i++) {
                    if (chunk[i] == '\r') {
                        if (found == 0) {
                            firstRow = millis(begin);
                        }
                        found++;
                    }
                }
                bytes += count;
                if (bytesPerSecond > 0) {
                    Thread.sleep(Duration.ofNanos(count * 1_000_000_000L / bytesPerSecond));
                }
            }
        }
        if (found != rows) {
            throw new IOException("got " + found + " of " + rows + " rows");
        }
        return new Read(firstByte, firstRow, millis(begin), bytes);
    }

    private static double millis(long begin) {
        return (System.nanoTime() - begin) / 1e6;
    }
}
