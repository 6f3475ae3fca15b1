package dev.headgate.bench.wire;

import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A pooler's program: what it is called, how it is told its settings and how it is started. {@link Pooler} runs it. */
interface PoolerProgram {

    /** As the tables show it. */
    String name();

    /** @throws IllegalArgumentException if the program is missing or is no peer, with what to do about it */
    String version() throws InterruptedException;

    /**
     * Writes the configuration: the service's number of connections to the same server in transaction mode, SCRAM-SHA-256 for its
     * clients, TLS for those that ask for it, one thread.
     *
     * @param folder with the certificate and its key
     * @param port at which to listen
     */
    Path configure(Folder folder, Service service, int port) throws IOException;

    List<String> command(Path configuration);

    /** What a program says when it is asked for its version. @param where to find it, for who has none */
    static String version(String program, String where) throws InterruptedException {
        try {
            Process asked = new ProcessBuilder(program, "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            asked.waitFor();
            return said;
        } catch (IOException e) {
            throw new IllegalArgumentException("needs " + where + "; '" + program + "' does not start", e);
        }
    }
}
