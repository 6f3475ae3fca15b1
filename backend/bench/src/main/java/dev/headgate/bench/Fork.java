package dev.headgate.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A benchmark in a JVM of its own. The compiler decides anew in each JVM what it inlines, and a figure of one depends on that; so a
 * benchmark takes several, and puts the figures of all on its sheet.
 */
public final class Fork {

    private static final String NUMBER = "headgate.fork";
    private static final String OPTION = "-D" + NUMBER + "=";

    private Fork() {}

    /** The number of this JVM's fork, from 0 on; -1 if it is none. */
    public static int number() {
        return Integer.getInteger(NUMBER, -1);
    }

    /**
     * Measures in a new JVM and adds what it measured. Blocks until it has ended.
     *
     * @param number of the fork
     * @param pinned whether it may run on no core that PostgreSQL is pinned to ({@link Cores})
     * @param arguments the benchmark's name and its options
     * @throws IOException if it failed; what it printed tells why
     */
    public static void measure(Sheet sheet, int number, boolean pinned, List<String> arguments)
            throws IOException, InterruptedException {
        try (Folder folder = Folder.create("fork")) {
            List<String> command = new ArrayList<>();
            if (pinned) {
                command.addAll(List.of("taskset", "-c", Cores.others()));
            }
            command.add(System.getProperty("java.home") + "/bin/java");
            command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
            command.addAll(List.of(
                    OPTION + number,
                    "-D" + KeptRun.FOLDER + "=" + folder.path(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Bench.class.getName()));
            command.addAll(arguments);
            Path said = folder.path().resolve("said");
            int code = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start()
                    .waitFor();
            if (code != 0) {
                throw new IOException("fork " + number + " of " + String.join(" ", arguments) + " ended with " + code
                        + ":\n" + Files.readString(said));
            }
            KeptRun.all(folder.path(), arguments.getFirst()).forEach(sheet::add);
        }
    }
}
