package dev.headgate.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code postmaster.pid}: PostgreSQL's own file in a data directory, which names the process that serves it.
 *
 * @param file the file itself
 * @param pid the first line
 * @param port the fourth line; 0 if the server has not written it yet
 */
record PostmasterFile(Path file, long pid, int port) {

    /** Above every pid a kernel gives (Linux: at most 4194304), and still a pid to PostgreSQL. */
    private static final long PID_OF_NOBODY = Integer.MAX_VALUE - 1;

    static Optional<PostmasterFile> in(Path cluster) throws IOException {
        Path file = cluster.resolve("postmaster.pid");
        try {
            List<String> lines = Files.readAllLines(file);
            long pid = lines.isEmpty()
                    ? PID_OF_NOBODY
                    : Math.abs(Long.parseLong(lines.get(0).strip()));
            int port = lines.size() < 4 ? 0 : Integer.parseInt(lines.get(3).strip());
            return Optional.of(new PostmasterFile(file, pid, port));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.of(new PostmasterFile(file, PID_OF_NOBODY, 0));
        }
    }

    /** Whether the process that wrote the file may still run: its pid exists and is PostgreSQL's, or cannot be read. */
    boolean mayBeServed() {
        return process().filter(process -> !isForeign(process)).isPresent();
    }

    /**
     * Makes PostgreSQL recognise a stale file whose pid now belongs to another program or to a zombie. PostgreSQL takes every
     * existing pid of the same user as a sign that the data directory is in use. The file stays, because PostgreSQL also uses
     * it to find orphaned backends on the directory's shared memory; only the pid is replaced.
     *
     * @return whether the file was stale
     */
    boolean disownForeign() throws IOException {
        if (process().filter(PostmasterFile::isForeign).isEmpty()) {
            return false;
        }
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        lines.set(0, Long.toString(PID_OF_NOBODY));
        Files.write(file, lines);
        return true;
    }

    private Optional<ProcessHandle> process() {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
    }

    private static boolean isForeign(ProcessHandle process) {
        Optional<String> command = process.info().command();
        return command.isPresent()
                ? !Path.of(command.get()).getFileName().toString().startsWith("postgres")
                : isZombie(process);
    }

    /** Whether the process is a zombie: killed, but not waited for, as in a container without an init. */
    private static boolean isZombie(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }
}
