package dev.headgate.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Pins processes: PostgreSQL to the first core, and who is measured to the second. */
public final class Cores {

    public static final int SERVER = 0;
    public static final int POOLER = 1;

    private Cores() {}

    /** Moves a process with its threads and children. Later children inherit the core. */
    public static void pin(ProcessHandle process, int core) throws IOException, InterruptedException {
        pinAlone(process, core);
        for (ProcessHandle child : process.children().toList()) {
            pinAlone(child, core);
        }
    }

    /** Lets a process with its threads and children run on any core. */
    public static void unpin(ProcessHandle process) throws IOException, InterruptedException {
        String all = "0-" + (Runtime.getRuntime().availableProcessors() - 1);
        allow(process, all);
        for (ProcessHandle child : process.children().toList()) {
            allow(child, all);
        }
    }

    /** The cores that PostgreSQL is not pinned to, as taskset names them; the only one if there is one. */
    static String others() {
        int last = Runtime.getRuntime().availableProcessors() - 1;
        return last == 0 ? "0" : "1-" + last;
    }

    private static void pinAlone(ProcessHandle process, int core) throws IOException, InterruptedException {
        allow(process, String.valueOf(core));
    }

    private static void allow(ProcessHandle process, String cores) throws IOException, InterruptedException {
        int code = new ProcessBuilder("taskset", "-acp", cores, String.valueOf(process.pid()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0 && process.isAlive()) {
            throw new IOException("taskset could not move process " + process.pid() + " to core " + cores);
        }
    }

    /** The command with a prefix that starts it on a core. */
    public static List<String> on(int core, List<String> command) {
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", String.valueOf(core)));
        pinned.addAll(command);
        return pinned;
    }
}
