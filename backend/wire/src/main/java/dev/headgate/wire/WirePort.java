package dev.headgate.wire;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** The wire port. */
public final class WirePort implements AutoCloseable {

    private WirePort() {}

    /** Listens; clients are served from now on, each on a virtual thread. */
    public static WirePort open(WireSettings settings, Directory directory) throws IOException {
        throw new IOException("not yet");
    }

    /** The port it listens on. */
    public int port() {
        return 0;
    }

    public List<ClientStatus> clients() {
        return List.of();
    }

    /** Takes no more clients, tells the idle ones (57P01), and lets transactions end within the given time. */
    public void close(Duration grace) {}

    @Override
    public void close() {
        close(Duration.ofSeconds(5));
    }
}
