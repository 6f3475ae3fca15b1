package dev.headgate.bench.wire;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Where processes run: PostgreSQL and the clients on the first core, the pooler that is measured on the second. */
final class Cores {

    static final int SERVER = 0;
    static final int POOLER = 1;

    private Cores() {}

    /** Moves a process with all its threads, and its children. What they start from then on inherits it. */
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

    /** The command, started on a core. */
    static List<String> on(int core, List<String> command) {
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", String.valueOf(core)));
        pinned.addAll(command);
        return pinned;
    }
}
