package dev.headgate.server.sql;

import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which keys were used, in a file, so that a restart forgets none: a line before each request is executed, and one after it. Not safe
 * for several threads.
 */
final class KeyJournal {

    /** The file is written anew when it has so many lines more than keys. */
    private static final int SPARE_LINES = 10_000;

    /** What became of a request. The names stand in the file. */
    enum State {
        /** It was begun, and has not ended as far as the file knows. */
        began,
        /** All of it was executed. */
        ended,
        /** It has ended, and nobody knows whether all of it was executed. */
        unknown
    }

    /**
     * A key that was used.
     *
     * @param key its digest
     * @param fingerprint the digest of the request
     * @param domain the digest of its domain; empty in files of former versions
     */
    record Entry(String key, String fingerprint, Instant began, State state, String domain) {

        Entry with(State next) {
            return new Entry(key, fingerprint, began, next, domain);
        }

        private String line() {
            return state + " " + key + " " + fingerprint + " " + began.toEpochMilli() + " " + domain;
        }

        private static Entry parse(String line) {
            String[] words = line.split(" ", -1);
            return new Entry(
                    words[1],
                    words[2],
                    Instant.ofEpochMilli(Long.parseLong(words[3])),
                    State.valueOf(words[0]),
                    words.length > 4 ? words[4].intern() : "");
        }
    }

    private final Path file;
    private final Journal journal;

    /** @throws CannotStart if the file is there and cannot be read */
    KeyJournal(Path file) {
        this.file = file;
        this.journal = new Journal(file);
        rewrite(read().values());
    }

    /** The keys that are known, the oldest first. */
    Map<String, Entry> read() {
        Map<String, Entry> known = new LinkedHashMap<>();
        try {
            for (String line : journal.read()) {
                if (line.startsWith("forgot ")) {
                    known.remove(line.substring("forgot ".length()));
                } else {
                    Entry entry = Entry.parse(line);
                    known.put(entry.key(), entry);
                }
            }
            return known;
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new CannotStart(
                    "The file " + file + " cannot be used. Without it, requests with an Idempotency-Key that were"
                            + " executed may be executed again: remove it if that does no harm.",
                    e);
        }
    }

    /** @throws java.io.UncheckedIOException if it cannot be written; the file is as it was then */
    void write(Entry entry) {
        journal.append(entry.line());
    }

    /**
     * The key may be used again.
     *
     * @throws java.io.UncheckedIOException if that cannot be written; the file is as it was then
     */
    void forget(String key) {
        journal.append("forgot " + key);
    }

    /** Whether much of the file is out of date, if so many keys are known. */
    boolean isUntidy(int known) {
        return journal.lines() > known + SPARE_LINES;
    }

    /**
     * Writes the file anew.
     *
     * @throws java.io.UncheckedIOException if it cannot be written; the file is as it was then
     */
    void rewrite(Collection<Entry> known) {
        journal.rewrite(known.stream().map(Entry::line).toList());
    }

    void close() {
        journal.close();
    }
}
