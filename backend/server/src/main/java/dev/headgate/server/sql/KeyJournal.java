package dev.headgate.server.sql;

import dev.headgate.server.store.CannotStart;
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
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which keys were used, in a file, so that a restart forgets none: a line before each request is executed, and one after it. Lines
 * reach the operating system before the call returns, so they outlive the process, though not a loss of power. Not safe for several
 * threads.
 */
final class KeyJournal {

    /** The file is written anew when it has so many lines more than keys. */
    private static final int SPARE_LINES = 10_000;

    /**
     * A key that was used.
     *
     * @param key its digest
     * @param fingerprint the digest of the request
     * @param ended whether it was executed; otherwise nobody knows
     */
    record Entry(String key, String fingerprint, Instant began, boolean ended) {
        private String line() {
            return (ended ? "ended " : "began ") + key + " " + fingerprint + " " + began.toEpochMilli() + "\n";
        }

        private static Entry parse(String line) {
            String[] words = line.split(" ", -1);
            return new Entry(
                    words[1], words[2], Instant.ofEpochMilli(Long.parseLong(words[3])), words[0].equals("ended"));
        }
    }

    private final Path file;
    private FileChannel channel;
    private int lines;

    /** @throws CannotStart if the file is there and cannot be read */
    KeyJournal(Path file) {
        this.file = file;
        this.channel = rewrite(read().values());
    }

    /** The keys that are known, the oldest first. */
    Map<String, Entry> read() {
        Map<String, Entry> known = new LinkedHashMap<>();
        try {
            for (String line : wholeLines()) {
                if (line.startsWith("forgot ")) {
                    known.remove(line.substring("forgot ".length()));
                } else {
                    Entry entry = Entry.parse(line);
                    known.put(entry.key(), entry);
                }
            }
            return known;
        } catch (NoSuchFileException e) {
            return known;
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            throw new CannotStart(
                    "The file " + file + " cannot be used. Without it, requests with an Idempotency-Key that were"
                            + " executed may be executed again: remove it if that does no harm.",
                    e);
        }
    }

    /** A last line without its end was not written whole. Whoever wrote it was told so, and what is before it counts. */
    private List<String> wholeLines() throws IOException {
        String all = Files.readString(file, StandardCharsets.US_ASCII);
        return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
    }

    /** @throws UncheckedIOException if it cannot be written; the file is as it was then */
    void write(Entry entry) {
        append(entry.line());
    }

    /**
     * The key may be used again.
     *
     * @throws UncheckedIOException if that cannot be written; the file is as it was then
     */
    void forget(String key) {
        append("forgot " + key + "\n");
    }

    /**
     * Writes the file anew, if most of it is out of date.
     *
     * @throws UncheckedIOException if it cannot be written; the file is as it was then
     */
    void tidy(Collection<Entry> known) {
        if (lines > known.size() + SPARE_LINES) {
            FileChannel before = channel;
            channel = rewrite(known);
            close(before);
        }
    }

    void close() {
        close(channel);
    }

    private static void close(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void append(String line) {
        try {
            long before = channel.size();
            ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
            try {
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (IOException e) {
                channel.truncate(before); // half a line would spoil the next one
                throw e;
            }
            lines++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FileChannel rewrite(Collection<Entry> known) {
        List<String> all = known.stream().map(Entry::line).map(String::strip).toList();
        Path next = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(next, all);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
            lines = all.size();
            return FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
