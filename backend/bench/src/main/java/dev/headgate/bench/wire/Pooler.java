package dev.headgate.bench.wire;

import dev.headgate.bench.Cores;
import dev.headgate.bench.Folder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.postgresql.util.PasswordUtil;

/** Another pooler, with the service's settings, on the pooler's core. */
final class Pooler implements AutoCloseable {

    static final String CERTIFICATE = "tls.crt";
    static final String KEY = "tls.key";

    private static final int START_SECONDS = 10;

    private final String name;
    private final Folder folder;
    private final Process process;
    private final int port;

    Pooler(PoolerProgram program, Service service) throws Exception {
        name = program.name();
        folder = Folder.create("pooler");
        port = Ports.free();
        folder.write(CERTIFICATE, Files.readString(service.certificate()));
        folder.write(KEY, Files.readString(service.key()));
        Path configuration = program.configure(folder, service, port);
        folder.publish();
        Path log = folder.path().resolve("log");
        process = new ProcessBuilder(Cores.on(Cores.POOLER, program.command(configuration)))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy)); // also if the benchmark is interrupted
        Await.until(name + " listens", START_SECONDS, () -> {
            if (!process.isAlive()) {
                throw new IOException(name + " ended: " + Files.readString(log));
            }
            return Ports.listens(port);
        });
    }

    /** The clients' SCRAM verifier, as the service keeps it: computed once, not at every login. */
    static String verifier() {
        return PasswordUtil.encodeScramSha256(Service.PASSWORD.toCharArray());
    }

    Side side() {
        return new Side(name, port, Service.DOMAIN, Service.CLIENT, Service.PASSWORD, process.toHandle());
    }

    Footprint footprint() {
        return new Footprint(process.toHandle());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.destroy();
        process.waitFor();
        folder.close();
    }
}
