package dev.headgate.lab.link;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Changes a running link, by lines that a user types. */
final class Console {

    private final DelayedLink link;

    /** The lines that are in force. */
    private final Map<Word, Word.Line> faults = new EnumMap<>(Word.class);

    Console(DelayedLink link) {
        this.link = link;
    }

    /** Does what a line says, and returns the answer. @throws IllegalArgumentException for a wrong line, which changes nothing */
    String answer(String text) throws IOException {
        Word.Line line = Word.Line.parse(text);
        return switch (line.word()) {
            case DELAY, JITTER, BANDWIDTH, PIECES, BLACK_HOLE -> set(line);
            case DROP -> end("closed", link::drop);
            case RESET -> end("reset", link::reset);
            case CLEAR -> {
                faults.clear();
                link.clear();
                yield state();
            }
            case STATUS -> state() + "\n" + link.traffic().describe();
            case HELP -> Word.help();
        };
    }

    private String set(Word.Line line) throws IOException {
        if (line.word() == Word.DELAY) {
            link.delay(Duration.ofNanos(line.amount()));
        }
        if (line.amount() == 0) {
            faults.remove(line.word());
        } else {
            faults.put(line.word(), line);
        }
        link.set(new Faults(
                Duration.ofNanos(amount(Word.JITTER)),
                amount(Word.BANDWIDTH),
                (int) amount(Word.PIECES),
                amount(Word.BLACK_HOLE) == 1,
                Faults.NONE.seed()));
        return state();
    }

    private long amount(Word fault) {
        Word.Line line = faults.get(fault);
        return line == null ? 0 : line.amount();
    }

    private String end(String how, Runnable work) {
        int open = link.traffic().open();
        work.run();
        return "%d %s %s; new ones are taken".formatted(open, open == 1 ? "connection" : "connections", how);
    }

    private String state() {
        if (faults.isEmpty()) {
            return "now: no delay, no fault";
        }
        return "now: " + faults.values().stream().map(this::inForce).collect(Collectors.joining(", "));
    }

    private String inForce(Word.Line fault) {
        return fault.word() == Word.DELAY
                ? String.format(
                        Locale.ROOT,
                        "%s (measured: %.3f ms)",
                        fault.text(),
                        link.added().toNanos() / 1e6)
                : fault.text();
    }
}
