package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Linux's groups of processes by session, switched off until closed. With them each session gets an equal part of the processor, and
 * a scheduling policy counts within its session alone: attackers of {@code SCHED_IDLE} would get as much as the service they attack.
 *
 * <p>Needs root. Where they cannot be switched off, it says so and they stay as they are.
 */
final class Autogroups implements AutoCloseable {

    private static final Path SWITCH = Path.of("/proc/sys/kernel/sched_autogroup_enabled");
    private static final String ON = "1";
    private static final String OFF = "0";

    private final boolean switched;

    private Autogroups(boolean switched) {
        this.switched = switched;
    }

    static Autogroups off() throws IOException {
        if (!Files.exists(SWITCH) || Files.readString(SWITCH).strip().equals(OFF)) {
            return new Autogroups(false);
        }
        try {
            Files.writeString(SWITCH, OFF);
            return new Autogroups(true);
        } catch (IOException e) {
            System.err.println("The attackers take more of the processor than what is left over: " + e);
            return new Autogroups(false);
        }
    }

    @Override
    public void close() throws IOException {
        if (switched) {
            Files.writeString(SWITCH, ON);
        }
    }
}
