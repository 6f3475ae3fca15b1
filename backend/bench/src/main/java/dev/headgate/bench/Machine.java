package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Describes the machine that the figures come from. */
public final class Machine {

    private Machine() {}

    static void print() {
        System.out.println(LocalDate.now(ZoneOffset.UTC) + ", " + describe());
    }

    /** Its cores, system and JDK, and its load now. */
    public static String describe() {
        return "%d cores (%s), %s, JDK %s, load %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        cpu(),
                        System.getProperty("os.name") + " " + System.getProperty("os.version"),
                        Runtime.version(),
                        firstLine("/proc/loadavg"));
    }

    private static String cpu() {
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

    private static String firstLine(String file) {
        try {
            return Files.readAllLines(Path.of(file)).getFirst();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
