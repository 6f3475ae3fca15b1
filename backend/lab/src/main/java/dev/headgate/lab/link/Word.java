package dev.headgate.lab.link;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a line to a running link begins with. */
enum Word {
    DELAY(Kind.TIME, "delay 20ms", "a round trip takes so much longer, half of it each way"),
    JITTER(Kind.TIME, "jitter 5ms", "bytes are later by a random time of up to this, each way; their order stays"),
    BANDWIDTH(Kind.RATE, "bandwidth 1MB/s", "of each connection, each way; a low one is a slow reader"),
    PIECES(Kind.BYTES, "pieces 3", "bytes are written in pieces of at most so many, in the middle of messages"),
    BLACK_HOLE(Kind.SWITCH, "black-hole", "bytes vanish and connections stay; off resets those that lost some"),
    DROP(Kind.NOW, "drop", "ends all connections, as a program does that closes them"),
    RESET(Kind.NOW, "reset", "ends all connections with an RST"),
    CLEAR(Kind.NOW, "clear", "no delay and no fault; what is under way arrives at once"),
    STATUS(Kind.NOW, "status", "what is set, and what has passed since the start"),
    HELP(Kind.NOW, "help", "this list");

    /** What follows a word. The first four are faults, which last until they are off. */
    private enum Kind {
        TIME("a time such as 500us, 20ms or 1.5s, at most 60s", 60_000_000_000L, "us|ms|s"),
        RATE("a rate such as 500B/s, 64kB/s or 1MB/s", 1_000_000_000_000L, "[kMG]?B/s"),
        BYTES("a number of bytes from 1 to 1000000", 1_000_000, ""),
        SWITCH("on", 1, "none"),
        NOW("", 0, "none");

        private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,9})?)([A-Za-z/]*)");

        /** In nanoseconds, bytes a second and bytes. */
        private static final Map<String, Long> UNITS = Map.of(
                "us",
                1_000L,
                "ms",
                1_000_000L,
                "s",
                1_000_000_000L, //
                "B/s",
                1L,
                "kB/s",
                1_000L,
                "MB/s",
                1_000_000L,
                "GB/s",
                1_000_000_000L, //
                "",
                1L);

        private final String allowed;
        private final long most;
        private final String unit;

        /** @param unit a regular expression */
        Kind(String allowed, long most, String unit) {
            this.allowed = allowed;
            this.most = most;
            this.unit = unit;
        }

        /** 0 for off. @throws IllegalArgumentException for anything that is not allowed */
        long amount(String word, String text) {
            if (this == NOW) {
                if (!text.isEmpty()) {
                    throw new IllegalArgumentException(word + " takes no value, was '" + text + "'");
                }
                return 0;
            }
            if (text.equals("off")) {
                return 0;
            }
            if (this == SWITCH && (text.isEmpty() || text.equals("on"))) {
                return 1;
            }
            Matcher parts = AMOUNT.matcher(text);
            Long one = parts.matches() && parts.group(2).matches(unit) ? UNITS.get(parts.group(2)) : null;
            if (one != null) {
                BigDecimal amount = new BigDecimal(parts.group(1)).multiply(BigDecimal.valueOf(one));
                boolean whole = amount.stripTrailingZeros().scale() <= 0;
                if (whole && amount.signum() > 0 && amount.compareTo(BigDecimal.valueOf(most)) <= 0) {
                    return amount.longValueExact();
                }
            }
            throw new IllegalArgumentException(word + " takes " + allowed + ", or off; was '" + text + "'");
        }
    }

    private final Kind kind;
    private final String example;
    private final String meaning;

    Word(Kind kind, String example, String meaning) {
        this.kind = kind;
        this.example = example;
        this.meaning = meaning;
    }

    /**
     * A line, understood.
     *
     * @param amount nanoseconds, bytes a second or bytes; 1 for on, and 0 for off
     * @param text as it was typed
     */
    record Line(Word word, long amount, String text) {

        /** @throws IllegalArgumentException naming what is allowed */
        static Line parse(String text) {
            String[] parts = text.strip().split("\\s+", 2);
            Word word = Arrays.stream(values())
                    .filter(each -> each.spelling().equals(parts[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("there is no '" + parts[0] + "'; allowed are "
                            + Arrays.stream(values()).map(Word::spelling).collect(Collectors.joining(", "))));
            return new Line(
                    word, word.kind.amount(parts[0], parts.length == 1 ? "" : parts[1]), String.join(" ", parts));
        }
    }

    String spelling() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it lasts until it is off. */
    boolean isFault() {
        return kind != Kind.NOW;
    }

    /** Whether it means something without a value. */
    boolean standsAlone() {
        return kind == Kind.NOW || kind == Kind.SWITCH;
    }

    /** A line for each word. */
    static String help() {
        return Arrays.stream(values())
                .map(each -> "  %-16s %s".formatted(each.example, each.meaning))
                .collect(Collectors.joining(
                        "\n", "", "\nA fault lasts until it is set anew, until `FAULT off` or until clear."));
    }
}
