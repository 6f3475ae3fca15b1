package dev.headgate.bench.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Pins processes: PostgreSQL and the clients to the first core, the measured pooler to the second. */
final class Cores {

    static final int SERVER = 0;
    static final int POOLER = 1;

    private Cores() {}

    /** Moves a process with its threads and children. Later children inherit the core. */
    static void pin(ProcessHandle process, int core) throws IOException, InterruptedException {
        pinAlone(process, core);
        for (ProcessHandle child : process.children().toList()) {
            pinAlone(child, core);
        }
    }

    private static void pinAlone(ProcessHandle process, int core) throws IOException, InterruptedException {
        int code = new ProcessBuilder("taskset", "-acp", String.valueOf(core), String.valueOf(process.pid()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0 && process.isAlive()) {
            throw new IOException("taskset could not move process " + process.pid() + " to core " + core);
        }
    }

    /** The command with a prefix that starts it on a core. */
    static List<String> on(int core, List<String> command) {
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", String.valueOf(core)));
        pinned.addAll(command);
        return pinned;
    }
}
