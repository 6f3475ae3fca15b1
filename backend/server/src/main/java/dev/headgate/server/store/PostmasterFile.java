package dev.headgate.server.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * {@code postmaster.pid}: PostgreSQL's own note in a data directory of which process serves it.
 *
 * @param file the note
 * @param pid the first line
 * @param port the fourth line; 0 where the server had not got that far
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

    /** Whether the process that wrote the note may still be there: its pid lives, and is PostgreSQL's or unreadable. */
    boolean mayBeServed() {
        return process().filter(process -> !isForeign(process)).isPresent();
    }

    /**
     * Makes PostgreSQL see that a note is stale whose pid now belongs to some other program (or to a zombie): to it, any
     * living pid of the same user means that the data directory is in use. The note stays, because by it PostgreSQL
     * also tells whether orphaned backends still use the directory's shared memory; only the pid is put out of use.
     *
     * @return whether that was the case
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

    /** A killed process that nobody has waited for, as in a container without an init. */
    private static boolean isZombie(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
            return stat.startsWith("Z", stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return false;
        }
    }
}
