package dev.headgate.server.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines in ASCII that are added one by one, and written anew when most of them are out of date. Lines reach the operating
 * system before a call returns, so they outlive the process, though not a loss of power. Not safe for several threads.
 *
 * <pre>
 *   Collection&lt;String&gt; known = current(journal.read());
 *   journal.rewrite(known);
 *   journal.append(line);                                  // a change
 *   if (journal.lines() > known.size() + SPARE) ...rewrite // from time to time
 * </pre>
 */
public final class Journal {

    private final Path file;
    private @Nullable FileChannel channel;
    private int lines;

    /** @param file need not exist */
    public Journal(Path file) {
        this.file = file;
    }

    /** Its lines. A last one without its end was not written whole: whoever wrote it was told so, and what is before it counts. */
    public List<String> read() throws IOException {
        try {
            String all = Files.readString(file, StandardCharsets.US_ASCII);
            return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** How many lines the file has. */
    public int lines() {
        return lines;
    }

    /**
     * Adds a line, after {@link #rewrite} has been called once.
     *
     * @throws UncheckedIOException if it cannot be written; the file is as it was then
     */
    public void append(String line) {
        FileChannel open = channel;
        if (open == null) {
            throw new IllegalStateException("not yet rewritten");
        }
        try {
            long before = open.size();
            ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
            try {
                while (bytes.hasRemaining()) {
                    open.write(bytes);
                }
            } catch (IOException e) {
                open.truncate(before); // half a line would spoil the next one
                throw e;
            }
            lines++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Replaces all lines.
     *
     * @throws UncheckedIOException if they cannot be written; the file is as it was then
     */
    public void rewrite(Collection<String> all) {
        Path next = file.resolveSibling(file.getFileName() + ".part");
        FileChannel before = channel;
        try {
            Files.write(next, all, StandardCharsets.US_ASCII);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            lines = all.size();
            channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
            if (before != null) {
                before.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void close() {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
