package dev.headgate.lab.experiment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;

/** Describes the machine that figures come from. Its methods read files of the system. */
public final class Machine {

    private Machine() {}

    /** Its cores, system and JDK, and its load now. */
    public static String describe() {
        return "%d cores (%s), %s, JDK %s, load %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        processor(),
                        System.getProperty("os.name") + " " + System.getProperty("os.version"),
                        Runtime.version(),
                        firstLine("/proc/loadavg"));
    }

    /** The processor's model, as the system calls it; "unknown processor" if it does not tell. */
    public static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown processor");
        } catch (IOException e) {
            return "unknown processor";
        }
    }

    /** How many threads ran or waited for a processor over the last minute, on average; empty if the system does not tell. */
    public static OptionalDouble loadAverage() {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return load < 0 ? OptionalDouble.empty() : OptionalDouble.of(load);
    }

    private static String firstLine(String file) {
        try {
            return Files.readAllLines(Path.of(file)).getFirst();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
