package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The time that each thread of a process has run and has waited for its core, from Linux's {@code
 * /proc/PID/task/TID/schedstat}. Distinguishes a slow pooler from one that other processes keep off its core.
 */
record CoreTime(Map<String, Thread> threads) {

    /** One thread's times in nanoseconds: running, and ready while another thread ran. */
    record Thread(long ran, long waited) {

        Thread since(Thread before) {
            return new Thread(ran - before.ran, waited - before.waited);
        }
    }

    private static final Thread NONE = new Thread(0, 0);

    static CoreTime of(ProcessHandle process) throws IOException {
        List<Path> tasks;
        try (Stream<Path> listed = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            tasks = listed.toList();
        }
        Map<String, Thread> threads = new HashMap<>();
        for (Path task : tasks) {
            try {
                String[] fields =
                        Files.readString(task.resolve("schedstat")).strip().split(" ", -1);
                threads.put(
                        task.getFileName().toString(),
                        new Thread(Long.parseLong(fields[0]), Long.parseLong(fields[1])));
            } catch (NoSuchFileException e) {
                // the thread ended after it was listed
            }
        }
        return new CoreTime(threads);
    }

    /** The share of its runnable time that the busiest thread has waited, 0 to 1. */
    double waitedSince(CoreTime before) {
        Thread busiest = NONE;
        for (Map.Entry<String, Thread> each : threads.entrySet()) {
            Thread thread = each.getValue().since(before.threads.getOrDefault(each.getKey(), NONE));
            if (thread.ran() > busiest.ran()) {
                busiest = thread;
            }
        }
        return busiest.ran() == 0 ? 0 : busiest.waited() / (double) (busiest.ran() + busiest.waited());
    }
}
