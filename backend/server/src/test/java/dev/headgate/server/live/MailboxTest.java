package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.SampleJson;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.limits.Holders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.socket.CloseStatus;
import tools.jackson.databind.json.JsonMapper;

class MailboxTest {

    private static final Subscription BANK = new Subscription(Set.of("bank"), 4, Set.of());

    private final StreamCounts counts = new StreamCounts();
    private long nanos;
    private final Mailbox mailbox = new Mailbox(
            JsonMapper.shared(), counts, Rooms.large(), () -> nanos += Mailbox.SNAPSHOT_NANOS); // no snapshot waits

    @Test
    void nothingIsKeptBeforeASubscription() throws InterruptedException {
        mailbox.offer(slice(1, "bank", 1_000_000));
        mailbox.offer(decision(1, "bank", 1));

        assertThat(mailbox.take(0).isEmpty()).isTrue();
    }

    @Test
    void aSubscriptionAsksForOneSnapshotAndValuesFollowIt() throws InterruptedException {
        mailbox.subscribe(BANK);
        mailbox.offer(slice(1, "bank", 1_000_000));
        Mailbox.Mail first = mailbox.take(0);
        mailbox.offer(slice(2, "bank", 2_000_000));
        Mailbox.Mail second = mailbox.take(0);

        assertThat(first.snapshot()).isTrue();
        assertThat(first.slice()).as("the snapshot is newer").isNull();
        assertThat(second.snapshot()).isFalse();
        assertThat(sample(second).count()).isEqualTo(1);
        assertThat(mailbox.take(0).isEmpty()).isTrue();
    }

    /** Five minutes of history of every domain: who subscribes in a loop would keep the processors busy. */
    @Test
    void whoSubscribesAgainAndAgainGetsASnapshotASecond() throws InterruptedException {
        Mailbox mine = new Mailbox(JsonMapper.shared(), counts, Rooms.large(), () -> nanos);
        for (int n = 0; n < Mailbox.SNAPSHOTS; n++) { // someone who walks from page to page
            mine.subscribe(BANK);
            assertThat(mine.take(0).snapshot()).isTrue();
        }
        for (int n = 0; n < 10; n++) {
            mine.subscribe(BANK);
            mine.offer(decision(n, "bank", 1));
            nanos += Mailbox.SNAPSHOT_NANOS / 10 - 1;
            assertThat(mine.take(0).isEmpty()).isTrue();
        }
        nanos += 10;
        Mailbox.Mail mail = mine.take(0);
        assertThat(mail.snapshot()).isTrue();
        assertThat(mail.events()).hasSize(10);
        mine.subscribe(BANK);
        mine.close(CloseStatus.NORMAL);
        assertThat(mine.take(0).close()).as("an end does not wait").isEqualTo(CloseStatus.NORMAL);
    }

    /** A reader that was away for any number of frames gets one, with the figures of every request of that time. */
    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25})
    void aSlowReaderGetsTheLatestPoolAndEveryMeasurement(long seed) throws InterruptedException {
        subscribed(BANK);
        Random random = new Random(seed);
        int frames = 2 + random.nextInt(200);
        long[] all = {};
        for (int n = 1; n <= frames; n++) {
            long[] some = Samples.durations(random);
            all = LongStream.concat(LongStream.of(all), LongStream.of(some)).toArray();
            mailbox.offer(slice(n, "bank", some));
        }

        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.slice().domains().get("bank").pool().size()).isEqualTo(frames);
        assertThat(mail.slice().time()).isEqualTo(Samples.NOON.plusSeconds(frames));
        assertThat(sample(mail))
                .isEqualTo(SampleJson.of(new MergedWindow(
                        frames * Samples.TENTH,
                        Samples.latency(all),
                        Samples.waits(all.length),
                        all.length,
                        all.length,
                        0,
                        0,
                        0,
                        0,
                        0)));
        assertThat(counts.framesMerged()).isEqualTo(frames - 1);
    }

    /** Merging the pools of hundreds of domains, four times a second, for clients that do not read took the time of those that do. */
    @Test
    void whoReadsNothingCostsNoMergesAfterAWhile() throws InterruptedException {
        subscribed(BANK);
        for (int n = 0; n <= 2 * Mailbox.MOST_MERGES; n++) {
            mailbox.offer(slice(n, "bank", 1_000_000));
        }
        assertThat(counts.framesMerged()).isEqualTo(Mailbox.MOST_MERGES + 1);
        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.snapshot()).isTrue();
        assertThat(mail.slice()).isNull();

        for (int n = 0; n <= Mailbox.MOST_MERGES; n++) {
            mailbox.offer(slice(n, "bank", 1_000_000));
        }
        mail = mailbox.take(0);
        assertThat(mail.snapshot()).isFalse();
        assertThat(sample(mail).count()).isEqualTo(Mailbox.MOST_MERGES + 1);
    }

    @Test
    void whoWasAwayForLongGetsASnapshotInsteadOfEverySecond() throws InterruptedException {
        subscribed(BANK);
        for (int n = 0; n < Mailbox.MOST_SECONDS; n++) {
            mailbox.offer(second(n));
        }
        assertThat(mailbox.take(0).slice().seconds().get("bank")).hasSize(Mailbox.MOST_SECONDS);

        for (int n = 0; n <= Mailbox.MOST_SECONDS; n++) {
            mailbox.offer(second(n));
        }
        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.snapshot()).isTrue();
        assertThat(mail.slice()).isNull();
    }

    @Test
    void aDomainThatIsInOneSliceAloneIsKept() throws InterruptedException {
        subscribed(new Subscription(Set.of("*"), 4, Set.of()));
        mailbox.offer(slice(1, "bank", 1_000_000));
        mailbox.offer(slice(2, "gallery", 1_000_000));

        assertThat(mailbox.take(0).slice().domains()).containsOnlyKeys("bank", "gallery");
    }

    @Test
    void whatTheSubscriptionDoesNotCoverIsNotKept() throws InterruptedException {
        subscribed(BANK);
        mailbox.offer(slice(1, "gallery", 1_000_000));
        mailbox.offer(decision(1, "gallery", 1));

        assertThat(mailbox.take(0).isEmpty()).isTrue();
    }

    @Test
    void whatConcernsEveryoneIsKept() throws InterruptedException {
        subscribed(BANK);
        mailbox.offer(Event.domains(Samples.NOON, "gallery", null));
        mailbox.offer(decision(2, "", 1));

        assertThat(mailbox.take(0).events()).hasSize(2);
    }

    @Test
    void eventsAreAllKeptInOrder() throws InterruptedException {
        subscribed(BANK);
        List<Event> told = new ArrayList<>();
        for (int n = 0; n < Mailbox.MOST_EVENTS; n++) {
            told.add(decision(n, "bank", 1));
        }
        told.forEach(mailbox::offer);

        assertThat(mailbox.take(0).events()).containsExactlyElementsOf(told);
    }

    @Test
    void aRepetitionReplacesTheEarlierTelling() throws InterruptedException {
        subscribed(BANK);
        mailbox.offer(decision(1, "bank", 1));
        mailbox.offer(decision(2, "bank", 1));
        mailbox.offer(decision(1, "bank", 31));

        assertThat(mailbox.take(0).events()).containsExactly(decision(2, "bank", 1), decision(1, "bank", 31));
    }

    @Test
    void aNewSubscriptionKeepsEventsAndForgetsValues() throws InterruptedException {
        subscribed(BANK);
        mailbox.offer(slice(1, "bank", 1_000_000));
        mailbox.offer(decision(1, "bank", 1));
        mailbox.subscribe(BANK);

        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.snapshot()).isTrue();
        assertThat(mail.events()).hasSize(1);
        assertThat(mail.slice()).isNull();
    }

    @Test
    void aClientThatLetsTooManyEventsPileUpIsGivenUp() throws InterruptedException {
        subscribed(BANK);
        for (int n = 0; n <= Mailbox.MOST_EVENTS; n++) {
            mailbox.offer(decision(n, "bank", 1));
        }

        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.close()).isEqualTo(Mailbox.TOO_SLOW);
        assertThat(mail.close().getCode()).isEqualTo(4408);
        assertThat(mail.events()).isEmpty();
        assertThat(counts.closedTooSlow()).isEqualTo(1);

        mailbox.offer(decision(5, "bank", 1));
        mailbox.close(CloseStatus.NORMAL);
        assertThat(mailbox.take(0).close()).as("the first reason holds").isEqualTo(Mailbox.TOO_SLOW);
    }

    @Test
    void whoseEventsHaveNoRoomIsGivenUpAndHoldsNothing() throws InterruptedException {
        MemoryAccount account = Rooms.of(10 * Mailbox.EVENT_BYTES);
        ClientMemory memory = ClientMemory.of(account, "clients");
        Mailbox small = new Mailbox(JsonMapper.shared(), counts, memory);
        small.subscribe(BANK);
        assertThat(small.take(0).snapshot()).isTrue();
        for (int n = 0; n < 10; n++) {
            small.offer(decision(n, "bank", 1));
        }
        small.offer(decision(9, "bank", 2)); // takes the place of its earlier telling
        assertThat(small.closing()).isFalse();
        assertThat(account.reserved()).isEqualTo(10 * Mailbox.EVENT_BYTES);

        small.offer(decision(10, "bank", 1));
        assertThat(account.reserved()).isZero();
        assertThat(small.take(0).close()).isEqualTo(Mailbox.NO_ROOM);
        assertThat(counts.closedTooSlow()).isEqualTo(1);
    }

    @Test
    void whereValuesHaveNoRoomASnapshotComesLater() throws InterruptedException {
        MemoryAccount account = Rooms.of(3 * Mailbox.EVENT_BYTES);
        Mailbox small = new Mailbox(
                JsonMapper.shared(),
                counts,
                ClientMemory.of(account, "clients"),
                () -> nanos += Mailbox.SNAPSHOT_NANOS);
        small.subscribe(BANK);
        assertThat(small.take(0).snapshot()).isTrue();
        small.offer(decision(1, "bank", 1));
        small.offer(slice(1, "bank", 1_000_000));

        Mailbox.Mail mail = small.take(0);
        assertThat(mail.snapshot()).isTrue();
        assertThat(mail.slice()).isNull();
        assertThat(mail.events()).as("events stay").hasSize(1);
        assertThat(account.reserved()).isZero();
    }

    @Test
    void theNamesOfASubscriptionAreHeldUntilAnotherTakesItsPlace() {
        Subscription many = new Subscription(names(1_000), 4, names(1_000));
        MemoryAccount account = Rooms.of(many.bytes() + 1_000);
        Mailbox mine = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "clients"));
        mine.subscribe(many);
        assertThat(account.reserved()).isEqualTo(many.bytes()).isGreaterThan(400_000);
        mine.subscribe(BANK);
        assertThat(account.reserved()).isZero();

        mine.subscribe(new Subscription(names(1_100), 4, names(1_100)));
        assertThat(mine.closing()).isTrue();
        assertThat(account.reserved()).isZero();
    }

    /** Of fifty that wanted everything and read nothing, each held megabytes, and the events of those who look at one domain had no room. */
    @Test
    void whatAWideSubscriptionLeavesUnreadTakesNothingFromTheOthers() throws InterruptedException {
        MemoryAccount account = new MemoryAccount(
                100 * Mailbox.EVENT_BYTES,
                List.of(new Portion(Holders.STREAM, 0.5, 1, 1, 1), new Portion(Holders.WIDE_STREAM, 0, 0.5, 0.5, 0.5)));
        Mailbox wide = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "one"));
        Mailbox narrow = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "one"));
        wide.subscribe(new Subscription(Set.of("*"), 4, Set.of()));
        narrow.subscribe(BANK);
        assertThat(wide.take(0).snapshot()).isTrue();
        assertThat(narrow.take(0).snapshot()).isTrue();
        for (int n = 0; n < 50; n++) {
            wide.offer(decision(n, "gallery", 1));
        }
        assertThat(account.reserved()).isEqualTo(50 * Mailbox.EVENT_BYTES);
        for (int n = 0; n < 50; n++) {
            narrow.offer(decision(n, "bank", 1));
        }
        assertThat(narrow.closing()).isFalse();
        wide.offer(decision(50, "gallery", 1));
        assertThat(wide.take(0).close()).isEqualTo(Mailbox.NO_ROOM);
        assertThat(narrow.take(0).events()).hasSize(50);
        assertThat(account.reserved()).isZero();
    }

    @Test
    void whatWaitsMovesWithTheSubscriptionToTheRightHolder() throws InterruptedException {
        MemoryAccount account = Rooms.of(1 << 20);
        Mailbox mine = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "one"));
        mine.subscribe(BANK);
        mine.offer(decision(1, "bank", 1));
        mine.subscribe(new Subscription(names(Subscription.FEW_DOMAINS + 1), 4, Set.of(), Set.of(), Set.of("*"), null));
        mine.offer(decision(2, "bank", 1));
        assertThat(account.lines().stream().map(MemoryAccount.Line::reserved))
                .containsExactly(0L, 2 * Mailbox.EVENT_BYTES);
        mine.subscribe(new Subscription(names(Subscription.FEW_DOMAINS), 4, Set.of()));
        assertThat(account.lines().stream().map(MemoryAccount.Line::reserved))
                .containsExactly(2 * Mailbox.EVENT_BYTES, 0L);
        mine.close(CloseStatus.NORMAL);
        assertThat(account.reserved()).isZero();
    }

    /** A reader that stands still keeps them until a later slice has newer ones. */
    @Test
    void theConnectionsOfASliceAreHeldWhereTheyAreWanted() throws InterruptedException {
        Subscription withConnections = new Subscription(Set.of("*"), 4, Set.of("bank"));
        long without = reserved(BANK, slice("bank", 1_000));
        assertThat(without).as("another client's").isEqualTo(reserved(BANK, slice("bank", 0)));
        assertThat(reserved(withConnections, slice("bank", 1_000))).isEqualTo(without + 1_000 * Slice.CONNECTION_BYTES);
        assertThat(reserved(withConnections, slice("bank", 1_000), slice("bank", 10)))
                .as("those of the newer one")
                .isEqualTo(without + 10 * Slice.CONNECTION_BYTES);
        assertThat(reserved(withConnections, slice("gallery", 1_000))).isEqualTo(without);
    }

    /** What a mailbox holds that nobody empties. */
    private long reserved(Subscription subscription, Slice... offered) throws InterruptedException {
        MemoryAccount account = Rooms.of(1 << 30);
        Mailbox mine = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "clients"));
        mine.subscribe(subscription);
        assertThat(mine.take(0).snapshot()).isTrue();
        for (Slice each : offered) {
            mine.offer(each);
        }
        return account.reserved();
    }

    private static Set<String> names(int count) {
        return IntStream.range(0, count).mapToObj(n -> "domain-" + n).collect(Collectors.toSet());
    }

    @Test
    void whatIsTakenIsHeldNoLonger() throws InterruptedException {
        MemoryAccount account = Rooms.of(1 << 20);
        Mailbox mine = new Mailbox(JsonMapper.shared(), counts, ClientMemory.of(account, "clients"));
        mine.subscribe(BANK);
        assertThat(mine.take(0).snapshot()).isTrue();
        mine.offer(decision(1, "bank", 1));
        for (int n = 0; n < 20; n++) {
            mine.offer(slice(n, "bank", 1_000_000));
        }
        assertThat(account.reserved()).as("slices are merged").isBetween(1L, 8_192L);
        assertThat(mine.take(0).isEmpty()).isFalse();
        assertThat(account.reserved()).isZero();
    }

    @Test
    @Timeout(10)
    void takingWaitsForWhatComes() throws Exception {
        subscribed(BANK);
        List<Mailbox.Mail> taken = new ArrayList<>();
        Thread reader = Thread.startVirtualThread(() -> {
            try {
                taken.add(mailbox.take(TimeUnit.MINUTES.toNanos(1)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        mailbox.offer(slice(1, "bank", 1_000_000));
        reader.join();

        assertThat(taken)
                .singleElement()
                .satisfies(mail -> assertThat(mail.slice()).isNotNull());
    }

    private void subscribed(Subscription subscription) throws InterruptedException {
        mailbox.subscribe(subscription);
        assertThat(mailbox.take(0).snapshot()).isTrue();
    }

    private static SampleJson sample(Mailbox.Mail mail) {
        return mail.slice().domains().get("bank").delta().value().sample();
    }

    private static Event decision(int number, String domain, long count) {
        return Event.decision(DecisionJson.of(Samples.decision(number, domain, Decision.Kind.HELD, count)));
    }

    private static Slice second(int number) {
        return new Slice(
                Samples.NOON.plusSeconds(number),
                Map.of(),
                Map.of("bank", List.of(new Encoded<>(Samples.second(number), JsonMapper.shared()))),
                Map.of(),
                null);
    }

    /** With so many connections. */
    private static Slice slice(String domain, int connections) {
        List<String> ids =
                IntStream.range(0, connections).mapToObj(n -> domain + "-" + n).toList();
        return slice(
                1,
                domain,
                new ConnectionColumns(
                        ids, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(),
                        List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of()));
    }

    private static Slice slice(int number, String domain, long... durations) {
        return slice(number, domain, null, durations);
    }

    private static Slice slice(int number, String domain, @Nullable ConnectionColumns columns, long... durations) {
        Slice.Domain one = Slice.Domain.of(
                PoolJson.of(Samples.status(domain, "main", number)),
                MergedWindow.of(Samples.window(durations)),
                columns == null ? null : new Encoded<>(columns, JsonMapper.shared()),
                false,
                JsonMapper.shared());
        return new Slice(
                Samples.NOON.plusSeconds(number),
                Map.of(domain, one),
                Map.of(),
                Map.of("main", DatabaseSummaryJson.of(new FakeDatabase("main", 40).status())),
                null);
    }
}
