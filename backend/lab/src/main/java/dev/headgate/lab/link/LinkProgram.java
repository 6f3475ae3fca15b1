package dev.headgate.lab.link;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./headgate lab link}: a link between two programs, which runs until it is stopped. Says what it adds by itself and, each
 * second, what passed; takes lines from its input.
 */
final class LinkProgram {

    private static final int CALIBRATION = 3_000;

    private LinkProgram() {}

    /** @param faults the lines that it begins with */
    record Settings(int port, InetSocketAddress target, List<String> faults) {

        /** @throws IllegalArgumentException for a wrong option */
        static Settings parse(List<String> arguments) {
            Integer port = null;
            InetSocketAddress target = null;
            List<String> faults = new ArrayList<>();
            Deque<String> left = new ArrayDeque<>(arguments);
            while (!left.isEmpty()) {
                String[] option = left.poll().split("=", 2);
                switch (option[0]) {
                    case "--listen" -> port = port("--listen", value(option, left), 0);
                    case "--to" -> target = target(value(option, left));
                    default -> faults.add(fault(option, left));
                }
            }
            if (port == null || target == null) {
                throw new IllegalArgumentException("needs --listen PORT and --to HOST:PORT");
            }
            return new Settings(port, target, faults);
        }

        private static String value(String[] option, Deque<String> left) {
            String value = option.length == 2 ? option[1] : left.poll();
            if (value == null) {
                throw new IllegalArgumentException(option[0] + " needs a value");
            }
            return value;
        }

        private static String fault(String[] option, Deque<String> left) {
            Word fault = Arrays.stream(Word.values())
                    .filter(Word::isFault)
                    .filter(each -> option[0].equals("--" + each.spelling()))
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalArgumentException(
                                    "does not know '" + option[0]
                                            + "'; allowed are --listen, --to, --delay, --jitter, --bandwidth, --pieces, --black-hole, --help"));
            String line = fault.spelling() + (fault.standsAlone() ? "" : " " + value(option, left));
            Word.Line.parse(line);
            return line;
        }

        private static int port(String name, String text, int least) {
            if (text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= least && Integer.parseInt(text) <= 65_535) {
                return Integer.parseInt(text);
            }
            throw new IllegalArgumentException(name + " takes a port from " + least + " to 65535, was '" + text + "'");
        }

        private static InetSocketAddress target(String text) {
            int colon = text.lastIndexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("--to takes HOST:PORT, was '" + text + "'");
            }
            InetSocketAddress target =
                    new InetSocketAddress(text.substring(0, colon), port("--to", text.substring(colon + 1), 1));
            if (target.isUnresolved()) {
                throw new IllegalArgumentException("--to names a host that is not known: '" + text + "'");
            }
            return target;
        }
    }

    public static void main(String[] args) throws Exception {
        Settings settings = settings(args);
        DelayedLink link = open(settings);
        System.out.println(Calibration.measure(CALIBRATION).describe());
        Console console = new Console(link);
        for (String fault : settings.faults()) {
            System.out.println(console.answer(fault));
        }
        System.out.printf(
                "Listens at 127.0.0.1:%d for %s:%d. Type help for what can be changed; Ctrl-C ends it.%n",
                link.port(),
                settings.target().getHostString(),
                settings.target().getPort());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            System.out.println("In all: " + link.traffic().describe());
            Runtime.getRuntime().halt(0); // being stopped is how it ends
        }));
        DelayedLink.start("console", () -> read(console));
        watch(link);
    }

    private static Settings settings(String[] args) {
        try {
            return Settings.parse(Arrays.asList(args));
        } catch (IllegalArgumentException e) {
            throw exit(2, e.getMessage());
        }
    }

    private static DelayedLink open(Settings settings) {
        try {
            return DelayedLink.at(settings.port(), settings.target());
        } catch (IOException e) {
            throw exit(1, "cannot listen at port " + settings.port() + ": " + e.getMessage());
        }
    }

    private static IllegalStateException exit(int code, @Nullable String why) {
        System.err.println("headgate: lab link: " + why);
        System.exit(code);
        return new IllegalStateException("it has ended");
    }

    /** Ends with its input. The link stays. */
    private static void read(Console console) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (!line.isBlank()) {
                    System.out.println(answer(console, line));
                }
            }
        } catch (IOException e) {
            System.err.println("headgate: lab link: takes no more lines: " + e.getMessage());
        }
    }

    private static String answer(Console console, String line) throws IOException {
        try {
            return console.answer(line);
        } catch (IllegalArgumentException e) {
            return "not done: " + e.getMessage();
        }
    }

    private static void watch(DelayedLink link) throws InterruptedException {
        Traffic before = Traffic.NONE;
        while (true) {
            TimeUnit.SECONDS.sleep(1);
            Traffic now = link.traffic();
            if (now.since(before).isSome()) {
                System.out.println(now.since(before).describe());
            }
            before = now;
        }
    }
}
