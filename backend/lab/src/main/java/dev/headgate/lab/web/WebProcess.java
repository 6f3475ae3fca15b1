package dev.headgate.lab.web;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A {@link WebServer} in a Java process of its own, with a heap of a stated size. It ends at its first OutOfMemoryError. Safe for any
 * thread.
 */
final class WebProcess implements AutoCloseable {

    /** With which Java ends by {@code ExitOnOutOfMemoryError}. */
    private static final int OUT_OF_MEMORY = 3;

    private final Process process;
    private final int port;

    private WebProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one; blocks until it serves.
     *
     * @param heapMegabytes of the whole process
     * @param connections of its pool
     * @throws IOException if it does not start
     */
    static WebProcess start(Target target, int connections, int heapMegabytes) throws IOException {
        Process process = new ProcessBuilder(JavaCommand.of(
                        WebServer.class,
                        "-Xmx" + heapMegabytes + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-Dsun.net.httpserver.nodelay=true",
                        "-Dsun.net.httpserver.maxIdleConnections=100000",
                        "-Dsun.net.httpserver.idleInterval=600"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            process.getOutputStream()
                    .write(String.join(
                                    "\n",
                                    target.host(),
                                    Integer.toString(target.port()),
                                    target.database(),
                                    target.user(),
                                    target.password(),
                                    Integer.toString(connections),
                                    "")
                            .getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
            BufferedReader said = process.inputReader();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (line.matches("[0-9]+")) {
                    return new WebProcess(process, Integer.parseInt(line));
                }
            }
            throw new IOException("the web server with a heap of " + heapMegabytes + " MB did not start");
        } catch (Throwable e) {
            process.destroyForcibly();
            throw e;
        }
    }

    int port() {
        return port;
    }

    URI at(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Whether it has ended for lack of memory. Blocks for a moment if it may be ending. */
    boolean ranOutOfMemory() throws InterruptedException {
        return process.waitFor(2, TimeUnit.SECONDS) && process.exitValue() == OUT_OF_MEMORY;
    }

    /** Its threads of the operating system; empty where that cannot be told. */
    OptionalLong threads() {
        return status("Threads:");
    }

    /** What it has in memory, in kilobytes; empty where that cannot be told. */
    OptionalLong residentKilobytes() {
        return status("VmRSS:");
    }

    /** A figure of Linux's {@code /proc/PID/status}. */
    private OptionalLong status(String name) {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty(); // another system, or it has ended
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
