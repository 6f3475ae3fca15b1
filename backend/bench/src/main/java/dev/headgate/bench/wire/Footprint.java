package dev.headgate.bench.wire;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The memory, threads and files of a process, from the JDK's {@code jcmd} and Linux. */
record Footprint(ProcessHandle process) {

    /** "used 52340K", as G1 says it, "used 318M", as ZGC does, or "51M used", as Shenandoah does. */
    private static final Pattern USED = Pattern.compile("used ([0-9]+)([KM])|([0-9]+)([KM]) used");

    private static final int COLLECTIONS = 3;

    /** KB of a JVM's heap in use right after collections. */
    long heap() throws IOException, InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            jcmd("GC.run");
        }
        String said = jcmd("GC.heap_info");
        Matcher used = USED.matcher(said);
        if (!used.find()) {
            throw new IOException("jcmd GC.heap_info did not say what was expected: " + said);
        }
        int first = used.group(1) == null ? 3 : 1;
        long number = Long.parseLong(used.group(first));
        return used.group(first + 1).equals("M") ? number * 1024 : number;
    }

    /** KB of objects that are in use, whatever is being allocated meanwhile. Stops the JVM for a moment. */
    long live() throws IOException, InterruptedException {
        String[] total = jcmd("GC.class_histogram")
                .strip()
                .lines()
                .reduce("", (_, last) -> last)
                .split(" +");
        return Long.parseLong(total[2]) / 1024;
    }

    /** Resident memory in KB. */
    long resident() throws IOException {
        return status("VmRSS:");
    }

    /** Operating-system threads. */
    long threads() throws IOException {
        return status("Threads:");
    }

    /** Open files and sockets. */
    long files() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return files.count();
        }
    }

    private long status(String field) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElseThrow();
    }

    private String jcmd(String command) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/jcmd", String.valueOf(process.pid()), command)
                .redirectErrorStream(true)
                .start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (jcmd.waitFor() != 0) {
            throw new IOException("jcmd " + command + " failed: " + said);
        }
        return said;
    }
}
