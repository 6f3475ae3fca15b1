package dev.headgate.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The sockets of this process as the operating system knows them (Linux). */
public final class OpenSockets {

    /** As in include/net/tcp_states.h: connected, and left open after the peer's end. */
    private static final Set<String> OPEN = Set.of("01", "08");

    private OpenSockets() {}

    /** How many connections of this process to a local server's port are open. */
    public static int to(int port) throws IOException {
        Set<String> own = inodes();
        String suffix = ":%04X".formatted(port);
        int count = 0;
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] columns = line.trim().split("\\s+");
                if (columns.length > 9
                        && columns[2].endsWith(suffix)
                        && OPEN.contains(columns[3])
                        && own.contains(columns[9])) {
                    count++;
                }
            }
        }
        return count;
    }

    private static Set<String> inodes() throws IOException {
        Set<String> inodes = new HashSet<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : files.toList()) {
                try {
                    String link = Files.readSymbolicLink(file).toString();
                    if (link.startsWith("socket:[")) {
                        inodes.add(link.substring(8, link.length() - 1));
                    }
                } catch (IOException closedMeanwhile) {
                    // not open any more
                }
            }
        }
        return inodes;
    }
}
