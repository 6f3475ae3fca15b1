package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.PoolStatus.State;
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.alarms.Throughputs.Standstill;
import dev.headgate.server.feed.Listener;
import dev.headgate.spi.Window;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Several domains of one server stand still together, for some tenths of a second or longer: a convoy. Common causes are a lock that all
 * of them need, a checkpoint, and a disk or a network that hesitates. Throughput per database every 100 ms betrayed convoys in
 * M.-A. Neimat and D. Schneider's "Achieving transaction scaleup on Unix"; {@link Throughputs} finds them.
 *
 * <p>A machine whose processor is busy with something else looks alike. Then Headgate itself is late, and the alarm says so.
 *
 * <p>While two domains are low, the server is asked what their statements wait for, at most once in {@link #ASK_EVERY}: afterwards nobody
 * could tell.
 */
@Component
class ConvoyWatch implements Condition, Listener {

    /** How long a convoy that is over is told as one that goes on: until the next look, and no longer, since the alarm says so. */
    static final Duration HOLD = Duration.ofSeconds(2);

    static final Duration ASK_EVERY = Duration.ofSeconds(5);

    /** Headgate may be so late without being suspected. */
    private static final Duration PUNCTUAL = Duration.ofMillis(200);

    /** A domain without a window for so long is gone. */
    private static final Duration GONE = Duration.ofSeconds(5);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.S", Locale.ROOT).withZone(ZoneOffset.UTC);

    private final Executor asking;
    private final Clock clock;
    private final Map<Address, Server> servers = new LinkedHashMap<>();

    @Autowired
    ConvoyWatch(Supervisor supervisor, Clock clock) {
        this(
                task -> {
                    Thread _ = supervisor.start("headgate-convoys", Thread.ofVirtual(), task::run);
                },
                clock);
    }

    ConvoyWatch(Executor asking, Clock clock) {
        this.asking = asking;
        this.clock = clock;
    }

    /**
     * What the server said.
     *
     * @param time when its answer was here
     */
    private record Answer(Instant time, List<ServerWait> waits) {}

    /** What is known of one server. Belongs to the feed's thread, but for the answer. */
    private static final class Server {
        private final Throughputs throughputs = new Throughputs();
        private final Map<String, Database> databases = new HashMap<>();
        private Instant asked = Instant.EPOCH;
        private volatile @Nullable Answer answer;

        /** While it is told. */
        private @Nullable Standstill last;

        /** Of that standstill; null if nobody could tell. */
        private @Nullable List<ServerWait> waits;
    }

    private record Address(String host, int port) {

        static Address of(Pool pool) {
            Target target = pool.database().target();
            return new Address(target.host(), target.port());
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        Server server = servers.computeIfAbsent(Address.of(pool), _ -> new Server());
        server.databases.put(pool.domain(), pool.database());
        boolean mayBeHeld = window.waiting() > 0 && window.leases() == 0; // a pool's state costs more to find out
        boolean held = mayBeHeld && pool.status().state() != State.OPEN;
        server.throughputs.add(pool.domain(), end, window, held);
    }

    @Override
    public void turn(long number, Instant now) {
        servers.values().removeIf(server -> !server.throughputs.keepSince(now.minus(GONE)));
        servers.values().forEach(server -> {
            Set<String> low = server.throughputs.low();
            if (low.size() >= 2 && !now.isBefore(server.asked.plus(ASK_EVERY))) {
                server.asked = now;
                Set<Database> those = low.stream()
                        .map(server.databases::get)
                        .filter(each -> each != null)
                        .collect(Collectors.toSet());
                asking.execute(() -> ask(server, those));
            }
        });
    }

    private void ask(Server server, Set<Database> databases) {
        List<ServerWait> waits = new ArrayList<>();
        for (Database database : databases) {
            try {
                waits.addAll(database.waits());
            } catch (SQLException e) {
                return; // what cannot be asked is not known
            }
        }
        server.answer = new Answer(clock.instant(), waits);
    }

    @Override
    public String code() {
        return "convoy";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public Finding look(Instant now) {
        servers.values().forEach(server -> {
            server.throughputs.latest().ifPresent(found -> note(server, found));
            Standstill last = server.last;
            if (last != null && !now.isBefore(last.to().plus(HOLD))) {
                server.last = null;
                server.waits = null;
            }
        });
        return Finding.onSome(this::words);
    }

    /** Of the convoy that the pool was in, with what the pools of its own server waited for. */
    private Optional<Words> words(Pool pool) {
        Address address = Address.of(pool);
        Server server = servers.get(address);
        if (server == null || server.last == null || !server.last.domains().contains(pool.domain())) {
            return Optional.empty();
        }
        return Optional.of(words(address.toString(), server.last, server.waits));
    }

    /** A standstill is found again at each look until it is old, with other ends while it goes on. */
    private static void note(Server server, Standstill found) {
        Standstill last = server.last;
        boolean goesOn = last != null && !found.from().isAfter(last.to());
        server.last = found;
        Answer answer = server.answer;
        if (answer != null
                && !answer.time().isBefore(found.from())
                && !answer.time().isAfter(found.to())) {
            server.waits = answer.waits();
        } else if (!goesOn) {
            server.waits = null;
        }
    }

    /** All domains of a convoy have one sentence. */
    static Words words(String server, Standstill still, @Nullable List<ServerWait> waits) {
        String detail = "on %s for %.1f s at %s UTC; %s"
                .formatted(
                        server,
                        Duration.between(still.from(), still.to()).toMillis() / 1e3,
                        TIME.format(still.from()),
                        why(still, waits));
        String domains = and(still.domains());
        return new Words("convoy", domains + " have stood still together", domains + " stood still together", detail);
    }

    private static String why(Standstill still, @Nullable List<ServerWait> waits) {
        String asked = waits == null ? "" : said(waits);
        if (still.late().compareTo(PUNCTUAL) < 0) {
            return waits == null ? "what they waited for could not be asked in time" : asked;
        }
        return "Headgate itself was late by up to %.1f s: look at its own machine first%s"
                .formatted(still.late().toMillis() / 1e3, waits == null ? "" : "; " + asked);
    }

    private static String said(List<ServerWait> waits) {
        int all = waits.stream().mapToInt(ServerWait::statements).sum();
        if (all == 0) {
            return "the server had none of their statements under way";
        }
        Map<String, Integer> byEvent = new LinkedHashMap<>();
        Map<String, Set<Integer>> behind = new HashMap<>();
        for (ServerWait wait : waits) {
            byEvent.merge(wait.event(), wait.statements(), Integer::sum);
            behind.computeIfAbsent(wait.event(), _ -> new java.util.TreeSet<>()).addAll(wait.behind());
        }
        List<String> parts = new ArrayList<>();
        byEvent.forEach((event, statements) -> {
            Set<Integer> holders = behind.getOrDefault(event, Set.of());
            String whom = holders.isEmpty()
                    ? ""
                    : " (behind %s %s)"
                            .formatted(
                                    holders.size() == 1 ? "process" : "processes",
                                    and(holders.stream()
                                            .limit(3)
                                            .map(String::valueOf)
                                            .toList()));
            parts.add(event.isEmpty() ? statements + " ran" : statements + " waited for " + event + whom);
        });
        return "of their %d %s in the server %s".formatted(all, all == 1 ? "statement" : "statements", and(parts));
    }

    /** "a, b and c". */
    private static String and(List<String> words) {
        int last = words.size() - 1;
        return last == 0 ? words.getFirst() : String.join(", ", words.subList(0, last)) + " and " + words.get(last);
    }
}
