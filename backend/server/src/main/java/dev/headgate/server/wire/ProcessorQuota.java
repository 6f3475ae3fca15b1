package dev.headgate.server.wire;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether the system limits the processor time of a process, as a container's limit does: then time spent on looking for messages is
 * missed elsewhere.
 *
 * <p>Source: {@code cpu.max} of Linux's control groups, version 2 (Documentation/admin-guide/cgroup-v2.rst). A limit of a group is one
 * of all groups within it. Where there are no such files, nothing is limited.
 *
 * @param groups where the groups are mounted
 * @param memberships the file that names the process's own group
 */
record ProcessorQuota(Path groups, Path memberships) {

    private static final String VERSION_2 = "0::/";
    private static final String UNLIMITED = "max ";

    static ProcessorQuota ofThisProcess() {
        return new ProcessorQuota(Path.of("/sys/fs/cgroup"), Path.of("/proc/self/cgroup"));
    }

    boolean limits() {
        for (Path group = group(); group != null && group.startsWith(groups); group = group.getParent()) {
            if (isLimited(group.resolve("cpu.max"))) {
                return true;
            }
        }
        return false;
    }

    private @Nullable Path group() {
        try {
            return Files.readAllLines(memberships).stream()
                    .filter(line -> line.startsWith(VERSION_2))
                    .map(line ->
                            groups.resolve(line.substring(VERSION_2.length())).normalize())
                    .findFirst()
                    .orElse(null);
        } catch (IOException _) {
            return null;
        }
    }

    private static boolean isLimited(Path file) {
        try {
            return Files.exists(file) && !Files.readString(file).startsWith(UNLIMITED);
        } catch (IOException _) {
            return false;
        }
    }
}
