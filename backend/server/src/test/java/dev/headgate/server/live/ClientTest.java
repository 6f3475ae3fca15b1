package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.history.Histories;
import dev.headgate.server.history.History;
import dev.headgate.server.limits.Holders;
import io.github.bucket4j.Bucket;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.web.socket.CloseStatus;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One client on the test's own thread, with a line that ends after its frames. */
class ClientTest {

    private static final int DOMAINS = 200;
    private static final long MUCH = 1_000_000_000;

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final List<FakePool> pools = IntStream.range(0, DOMAINS)
            .mapToObj(n -> database.add("domain-%03d".formatted(n)))
            .toList();
    private final StreamCounts counts = new StreamCounts();
    private final MemoryAccount account = Rooms.of(Client.FRAME_BYTES);
    private final ClientMemory memory = ClientMemory.of(account, "clients");
    private final Mailbox mailbox = new Mailbox(JsonMapper.shared(), counts, memory);
    private final Recorded line = new Recorded();

    /** Enough for every test, and nothing comes back. */
    private final Bucket pace = Bucket.builder()
            .addLimit(limit -> limit.capacity(MUCH).refillGreedy(1, Duration.ofDays(1)))
            .build();

    /** Keeps what is sent. */
    private class Recorded implements Line {
        final List<String> parts = new ArrayList<>();
        final List<String> frames = new ArrayList<>();
        private final StringBuilder frame = new StringBuilder();

        @Nullable
        CloseStatus closed;

        Runnable beforeEachPart = () -> {};

        @Override
        public void send(String part, boolean last) throws IOException {
            beforeEachPart.run();
            parts.add(part);
            frame.append(part);
            if (last) {
                frames.add(frame.toString());
                frame.setLength(0);
                if (frames.size() == 2) {
                    mailbox.close(CloseStatus.NORMAL);
                }
            }
        }

        @Override
        public void close(CloseStatus reason) {
            closed = reason;
        }

        @Override
        public boolean isAllowed() {
            return true;
        }
    }

    @Test
    void aSnapshotOfEverythingIsSentInPartsAndHeldByNobody() {
        List<Long> held = new ArrayList<>();
        line.beforeEachPart = () -> held.add(account.reserved());
        mailbox.subscribe(everything());
        client(Histories.of(pools, 300, Rooms.of(1 << 30, Holders.HISTORY))).run();

        assertThat(line.closed).isEqualTo(CloseStatus.NORMAL);
        assertThat(line.frames).hasSize(2);
        assertThat(line.parts)
                .hasSizeGreaterThan(100)
                .allSatisfy(part -> assertThat(part).hasSizeLessThanOrEqualTo(PartWriter.PART));
        assertThat(held).containsOnly(Client.FRAME_BYTES);
        assertThat(account.reserved()).isZero();

        JsonNode snapshot = JsonMapper.shared().readTree(line.frames.getLast());
        assertThat(snapshot.path("domains")).hasSize(DOMAINS);
        assertThat(snapshot.path("history").size()).isEqualTo(DOMAINS);
        for (JsonNode history : snapshot.path("history")) {
            assertThat(history.path("columns").path("p50Ms")).hasSizeBetween(299, 301);
        }
    }

    @Test
    void theFramesOfManyDomainsTakeFromWhatAllSuchClientsShare() {
        mailbox.subscribe(everything());
        client(Histories.of(pools, 10, Rooms.of(1 << 30, Holders.HISTORY))).run();
        assertThat(pace.getAvailableTokens())
                .isEqualTo(MUCH - line.frames.getLast().length());
    }

    @Test
    void theFramesOfFewDomainsTakeNothingFromIt() {
        mailbox.subscribe(new Subscription(Set.of("domain-000"), 4, Set.of()));
        client(Histories.of(pools, 10, Rooms.of(1 << 30, Holders.HISTORY))).run();
        assertThat(line.frames).hasSize(2);
        assertThat(pace.getAvailableTokens()).isEqualTo(MUCH);
    }

    @Test
    void aFrameOfManyDomainsWaitsForItsShare() {
        Bucket spent = Bucket.builder()
                .addLimit(limit -> limit.capacity(MUCH).refillGreedy(1, Duration.ofDays(1)))
                .build();
        spent.consumeIgnoringRateLimits(MUCH + 1);
        Thread.currentThread().interrupt(); // whoever waits is told so at once
        assertThatThrownBy(() -> new PacedLine(line, spent.asBlocking()).send("{}", true))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(line.parts).isEmpty();
    }

    @Test
    void aPartOfASnapshotIsMadeWhenItIsWritten() {
        FakePool last = pools.getLast();
        line.beforeEachPart = () -> {
            if (line.parts.size() == 2) { // the hello, and the snapshot's first part
                last.show(Samples.status(last.domain(), database.name(), 7));
            }
        };
        mailbox.subscribe(everything());
        client(Histories.of(List.of(), 0, account)).run();

        JsonNode domains = JsonMapper.shared().readTree(line.frames.getLast()).path("domains");
        assertThat(domains.path(0).path("size").intValue()).isEqualTo(5);
        assertThat(domains.path(DOMAINS - 1).path("size").intValue()).isEqualTo(7);
    }

    @Test
    void aFewHistoriesAreCollectedAtOnce() throws Exception {
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Supplier<Integer> make = snapshots(Histories.of(List.of(), 0, account)).inTurn(() -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            Thread.yield();
            return now.decrementAndGet();
        });
        try (ExecutorService clients = Executors.newFixedThreadPool(Snapshots.AT_ONCE + 4)) {
            clients.invokeAll(Collections.nCopies(1_000, make::get));
        }
        assertThat(most).hasValueBetween(1, Snapshots.AT_ONCE);
    }

    @Test
    void aClientWhoseFrameFailsIsTold() {
        pools.getLast().show((PoolStatus) null);
        mailbox.subscribe(everything());
        Client client = client(Histories.of(List.of(), 0, account));

        assertThatThrownBy(client::run).isInstanceOf(RuntimeException.class);
        assertThat(line.closed).isEqualTo(CloseStatus.SERVER_ERROR);
        assertThat(account.reserved()).isZero();
    }

    @Test
    void aLineThatBreaksInTheMiddleOfAFrameEndsTheClient() {
        Line breaking = new Recorded() {
            @Override
            public void send(String part, boolean last) throws IOException {
                if (parts.size() == 3) {
                    throw new IOException("the client is gone");
                }
                super.send(part, last);
            }

            @Override
            public void close(CloseStatus reason) {
                line.close(reason);
            }
        };
        mailbox.subscribe(everything());
        new Client(station(Histories.of(List.of(), 0, account)), mailbox, breaking, memory).run();

        assertThat(line.closed).isEqualTo(CloseStatus.SESSION_NOT_RELIABLE);
        assertThat(account.reserved()).isZero();
    }

    private static Subscription everything() {
        return new Subscription(Set.of(Subscription.EVERY), 4, Set.of(), Set.of(), Set.of(Subscription.EVERY), null);
    }

    private Client client(History history) {
        return new Client(station(history), mailbox, line, memory);
    }

    private Client.Station station(History history) {
        JsonMapper mapper = JsonMapper.shared();
        return new Client.Station(
                "node",
                "epoch",
                "1",
                Duration.ofSeconds(15),
                Clock.fixed(Samples.NOON, ZoneOffset.UTC),
                mapper,
                snapshots(history),
                counts,
                pace.asBlocking());
    }

    private Snapshots snapshots(History history) {
        return new Snapshots(
                () -> List.of(database),
                history,
                new RecentEvents(),
                new Summaries(domain -> Registry.Entry.NONE, JsonMapper.shared()));
    }
}
