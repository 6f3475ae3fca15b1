package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** In virtual time: a turn of 50 ms is a call. */
class BroadcasterTest {

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final FakePool bank = database.add("bank");
    private final StreamCounts counts = new StreamCounts();
    private final Clients clients = new Clients(counts);
    private final RecentEvents recent = new RecentEvents();
    private final Map<String, Registry.Entry> registry = new HashMap<>();
    private final Summaries summaries =
            new Summaries(domain -> registry.getOrDefault(domain, Registry.Entry.NONE), JsonMapper.shared());
    private final Broadcaster broadcaster =
            new Broadcaster(() -> List.of(database), clients, recent, summaries, JsonMapper.shared());
    private final List<FakePool> others = new ArrayList<>();
    private long turn;

    @BeforeEach
    void twoConnections() {
        bank.show(Samples.connections("bank", 2));
    }

    @ParameterizedTest
    @CsvSource({"10, 100", "4, 40", "1, 10", "0.2, 2"})
    void aClientGetsItsRateAndEveryRequestOnce(double rateHz, int framesInTenSeconds) throws InterruptedException {
        Mailbox mailbox = subscribed(rateHz, Set.of());
        Random random = new Random(7);
        long requests = 0;
        long received = 0;
        int frames = 0;
        for (int tick = 0; tick < 200; tick++) {
            if (tick % 2 == 0) {
                long[] durations = Samples.durations(random);
                requests += durations.length;
                broadcaster.window(bank, now(), Samples.window(durations));
            }
            broadcaster.turn(++turn, now());
            Slice slice = mailbox.take(0).slice();
            if (slice != null) {
                frames++;
                received += slice.domains().get("bank").delta().value().sample().count();
            }
        }
        assertThat(frames).isEqualTo(framesInTenSeconds);
        assertThat(received).isEqualTo(requests);
    }

    /** At every rate, also where a second is over after the last window of its slice. */
    @ParameterizedTest
    @CsvSource({"10, 1", "4, 1", "1, 1", "0.2, 5"})
    void aSecondThatIsOverIsToldOnce(double rateHz, int secondsPerFrame) throws InterruptedException {
        Mailbox mailbox = subscribed(rateHz, Set.of());
        List<Second> sent = new ArrayList<>();
        List<Second> received = new ArrayList<>();
        for (int tick = 0; tick < 200; tick++) {
            if (tick % 20 == 0) {
                Second over = Samples.second(tick / 20);
                sent.add(over);
                broadcaster.second(bank, over);
            }
            broadcaster.turn(++turn, now());
            Slice slice = mailbox.take(0).slice();
            if (slice != null) {
                List<Second> told =
                        slice.seconds().get("bank").stream().map(Encoded::value).toList();
                assertThat(told).hasSize(secondsPerFrame);
                received.addAll(told);
            }
        }
        assertThat(received).isEqualTo(sent);
    }

    @Test
    void clientsOfOneRateShareWhatIsEncoded() throws InterruptedException {
        Mailbox one = subscribed(4, Set.of("bank"));
        Mailbox other = subscribed(4, Set.of("bank"));
        aWindowAndTurns(5);

        Slice.Domain first = one.take(0).slice().domains().get("bank");
        Slice.Domain second = other.take(0).slice().domains().get("bank");
        assertThat(first.delta()).isSameAs(second.delta());
        assertThat(first.columns()).isSameAs(second.columns()).isNotNull();
        assertThat(first.delta().json()).isSameAs(second.delta().json());
    }

    @Test
    void connectionsAreReadOnlyForWhoeverWantsThem() throws InterruptedException {
        Mailbox mailbox = subscribed(10, Set.of());
        bank.show((List<ConnectionStatus>) null); // reading them would fail
        aWindowAndTurns(2);

        assertThat(mailbox.take(0).slice().domains().get("bank").columns()).isNull();
    }

    @Test
    void aPoolOfWhichNothingWasMeasuredIsLeftOut() throws InterruptedException {
        Mailbox mailbox = subscribed(10, Set.of());
        FakePool gallery = database.add("gallery");
        broadcaster.window(gallery, now(), Samples.window(1_000_000));
        broadcaster.turn(++turn, now());
        broadcaster.turn(++turn, now());
        assertThat(mailbox.take(0).slice().domains()).containsOnlyKeys("gallery");

        broadcaster.turn(++turn, now());
        broadcaster.turn(++turn, now());
        assertThat(mailbox.take(0).isEmpty()).isTrue();
    }

    /** Nobody comes, and windows go on: it is told once as it came to rest, and then once a second. */
    @Test
    void ofManyDomainsOneThatRestsIsToldOnceASecond() throws InterruptedException {
        besideOthers();
        Mailbox mailbox = subscribed(10, Set.of());
        assertThat(framesOfBank(mailbox, Samples.window(2_000_000), 10)).isEqualTo(10);
        assertThat(framesOfBank(mailbox, Samples.window(), 50)).isEqualTo(5);
        assertThat(framesOfBank(mailbox, Samples.window(2_000_000), 10)).isEqualTo(10);
    }

    @Test
    void ofManyDomainsOneThatRestsIsToldAtOnceWhenItChanges() throws InterruptedException {
        besideOthers();
        Mailbox mailbox = subscribed(10, Set.of());
        assertThat(framesOfBank(mailbox, Samples.window(), 10)).isEqualTo(1);
        assertThat(framesOfBank(mailbox, Samples.window(), 3)).isEqualTo(1);
        bank.show(Samples.status("bank", "main", 6));
        assertThat(framesOfBank(mailbox, Samples.window(), 1)).isEqualTo(1);
    }

    @Test
    void aDomainThatRestsIsToldInEveryFrameToWhoeverWantsItsConnectionsOrFewDomains() throws InterruptedException {
        besideOthers();
        Mailbox connections = subscribed(10, Set.of("bank"));
        assertThat(framesOfBank(connections, Samples.window(), 20)).isEqualTo(20);
        Mailbox few = subscribed(new Subscription(Set.of("bank", "other-1"), 10, Set.of()));
        assertThat(framesOfBank(few, Samples.window(), 20)).isEqualTo(20);
    }

    @Test
    void ofFewDomainsOneThatRestsIsToldInEveryFrame() throws InterruptedException {
        Mailbox mailbox = subscribed(10, Set.of());
        assertThat(framesOfBank(mailbox, Samples.window(), 20)).isEqualTo(20);
    }

    private void besideOthers() {
        for (int i = 0; i < Subscription.FEW_DOMAINS; i++) {
            others.add(database.add("other-" + i));
        }
    }

    /** How many of so many frames tell of the bank, with the same window in each, beside others that are busy. */
    private int framesOfBank(Mailbox mailbox, Window window, int frames) throws InterruptedException {
        int told = 0;
        for (int frame = 0; frame < frames; frame++) {
            broadcaster.window(bank, now(), window);
            others.forEach(other -> broadcaster.window(other, now(), Samples.window(1_000_000)));
            broadcaster.turn(++turn, now());
            broadcaster.turn(++turn, now());
            Slice slice = mailbox.take(0).slice();
            told += slice != null && slice.domains().containsKey("bank") ? 1 : 0;
        }
        return told;
    }

    @Test
    void theSummaryTellsOnceASecondWhatHasChangedAndNothingOfTheIdle() throws InterruptedException {
        FakePool gallery = database.add("gallery");
        Mailbox mailbox = subscribed(summary(Summary.Part.FIGURES));
        List<SummaryJson> told = new ArrayList<>();
        for (int tick = 0; tick < 100; tick++) {
            if (tick == 30) {
                bank.show(Samples.status("bank", "main", 9));
            }
            broadcaster.window(bank, now(), Samples.window());
            broadcaster.window(gallery, now(), Samples.window());
            broadcaster.turn(++turn, now());
            Slice slice = mailbox.take(0).slice();
            if (slice != null) {
                assertThat(slice.domains()).isEmpty();
                told.add(slice.summary().part(Summary.Part.FIGURES).value());
            }
        }
        assertThat(told).hasSize(5);
        assertThat(told.getFirst().figures().domain()).containsExactlyInAnyOrder("bank", "gallery");
        assertThat(told.getFirst().states().tier()).containsOnly("silver");
        assertThat(told.get(1).figures().domain()).containsExactly("bank");
        assertThat(told.get(1).figures().size()).containsExactly(9);
        assertThat(told.get(1).states().domain())
                .as("only its size has changed")
                .isEmpty();
        assertThat(told.subList(2, 5)).allSatisfy(later -> {
            assertThat(later.figures().domain()).isEmpty();
            assertThat(later.states().domain()).isEmpty();
        });
    }

    @Test
    void theSummaryTellsTheLabelsAndTheOwnerOfADomainWhenTheyHaveChanged() throws InterruptedException {
        FakePool gallery = database.add("gallery");
        Mailbox mailbox = subscribed(summary(Summary.Part.HEALTH));
        broadcaster.window(bank, now(), Samples.window());
        broadcaster.window(gallery, now(), Samples.window());
        SummaryJson.States first = aSecondOf(mailbox);
        assertThat(first.domain()).hasSize(2);
        assertThat(first.labels()).containsOnly(new TreeMap<>());
        assertThat(first.managedBy()).containsOnlyNulls();

        registry.put("gallery", new Registry.Entry(new TreeMap<>(Map.of("team", "media")), "files: gallery.yaml"));
        SummaryJson.States changed = aSecondOf(mailbox);
        assertThat(changed.domain()).containsExactly("gallery");
        assertThat(changed.labels()).containsExactly(new TreeMap<>(Map.of("team", "media")));
        assertThat(changed.managedBy()).containsExactly("files: gallery.yaml");
        assertThat(summaries.of(database.pools(), Summary.Part.HEALTH).states().labels())
                .as("in a snapshot")
                .containsExactlyInAnyOrder(new TreeMap<>(), new TreeMap<>(Map.of("team", "media")));
        assertThat(aSecondOf(mailbox).domain()).isEmpty();
    }

    private SummaryJson.States aSecondOf(Mailbox mailbox) throws InterruptedException {
        return aSecondOf(mailbox, Summary.Part.HEALTH).states();
    }

    private SummaryJson aSecondOf(Mailbox mailbox, Summary.Part part) throws InterruptedException {
        for (int tick = 0; tick < 20; tick++) {
            broadcaster.turn(++turn, now());
        }
        return mailbox.take(0).slice().summary().part(part).value();
    }

    @Test
    void aSummaryThatWaitsHoldsTheLaterRowOfEachDomain() throws InterruptedException {
        FakePool gallery = database.add("gallery");
        Mailbox mailbox = subscribed(summary(Summary.Part.FIGURES));
        for (int size = 5; size < 9; size++) {
            bank.show(Samples.status("bank", "main", size));
            broadcaster.window(bank, now(), Samples.window());
            if (size == 5) {
                broadcaster.window(gallery, now(), Samples.window());
            }
            for (int tick = 0; tick < 20; tick++) {
                broadcaster.turn(++turn, now());
            }
        }
        SummaryJson.Figures merged = mailbox.take(0)
                .slice()
                .summary()
                .part(Summary.Part.FIGURES)
                .value()
                .figures();
        assertThat(merged.domain()).containsExactlyInAnyOrder("bank", "gallery");
        assertThat(merged.size().get(merged.domain().indexOf("bank"))).isEqualTo(8);
    }

    /** A pool that is idle by then is not measured any more. */
    @Test
    void callersThatWereTurnedAwayAreCountedUntilTheyAreLongPast() throws InterruptedException {
        Mailbox mailbox = subscribed(summary(Summary.Part.FIGURES));
        bank.turnedAway = 31;
        broadcaster.window(bank, now(), Samples.window());
        assertThat(aSecondOf(mailbox, Summary.Part.FIGURES).figures().turnedAway())
                .containsExactly(31L);
        bank.turnedAway = 0;
        assertThat(aSecondOf(mailbox, Summary.Part.FIGURES).figures().turnedAway())
                .containsExactly(0L);
    }

    @Test
    void whoWantsTheHealthGetsNoFiguresAndAllShareWhatIsEncoded() throws InterruptedException {
        Mailbox one = subscribed(summary(Summary.Part.HEALTH));
        Mailbox other = subscribed(summary(Summary.Part.HEALTH));
        Mailbox.Mail _ = one.take(0);
        broadcaster.window(bank, now(), Samples.window());
        for (int tick = 0; tick < 20; tick++) {
            broadcaster.turn(++turn, now());
        }
        Encoded<SummaryJson> first = one.take(0).slice().summary().part(Summary.Part.HEALTH);
        assertThat(first.value().figures()).isNull();
        assertThat(first.json()).contains("\"bank\"").doesNotContain("figures");
        assertThat(other.take(0).slice().summary().part(Summary.Part.HEALTH)).isSameAs(first);
    }

    /** A figure that changes and changes back between two looks is in no delta, so it must be in no snapshot either. */
    @Test
    void aSnapshotShowsTheRowsThatTheDeltasGoOnFrom() {
        broadcaster.window(bank, now(), Samples.window());
        broadcaster.turn(20, now());
        bank.show(Samples.status("bank", "main", 6));
        SummaryJson between = summaries.of(database.pools(), Summary.Part.FIGURES);
        bank.show(Samples.status("bank", "main", 5));

        assertThat(between.figures().size()).containsExactly(5);
    }

    @Test
    void soDoesTheRowOfADatabase() {
        broadcaster.turn(20, now());
        database.unreachable(new DatabaseStatus.Unreachable("connection refused", now()));
        assertThat(DatabaseJson.of(database, summaries.of(database)).reachable())
                .isTrue();
        broadcaster.turn(21, now());
        broadcaster.turn(40, now());
        assertThat(DatabaseJson.of(database, summaries.of(database)).reachable())
                .isFalse();
    }

    @Test
    void aPoolThatWasNotLookedAtYetIsInTheSnapshot() {
        assertThat(summaries
                        .of(database.pools(), Summary.Part.FIGURES)
                        .figures()
                        .domain())
                .containsExactly("bank");
    }

    @Test
    void secondsAndEventsComeOfTheDomainsThatAreNamedForThem() throws InterruptedException {
        FakePool gallery = database.add("gallery");
        Mailbox mailbox = subscribed(new Subscription(Set.of(), 10, Set.of(), Set.of("bank"), Set.of("gallery"), null));
        broadcaster.second(bank, Samples.second(1));
        broadcaster.second(gallery, Samples.second(1));
        broadcaster.publish(Event.policy(now(), "main", "bank", 1, "admin", "changed"));
        broadcaster.publish(Event.policy(now(), "main", "gallery", 1, "admin", "changed"));
        aWindowAndTurns(2);

        Mailbox.Mail mail = mailbox.take(0);
        assertThat(mail.slice().seconds()).containsOnlyKeys("bank");
        assertThat(mail.slice().domains()).isEmpty();
        assertThat(mail.events()).extracting(Event::about).containsExactly("gallery");
    }

    @Test
    void anAlarmIsToldOnceWhenItIsRaisedAndOnceWhenItIsOver() throws InterruptedException {
        Mailbox mailbox = subscribed(10, Set.of());
        List<Event> told = new ArrayList<>();
        for (int n = 0; n < 6; n++) {
            boolean alarmed = n >= 1 && n <= 3;
            bank.show(
                    alarmed
                            ? Samples.status("bank", "main", 5, Samples.alarm("at-ceiling"))
                            : Samples.status("bank", "main", 5));
            aWindowAndTurns(1);
            told.addAll(mailbox.take(0).events());
        }
        assertThat(told)
                .extracting(event -> ((Event.AlarmChanged) event).active())
                .containsExactly(true, false);
    }

    @Test
    void aSnapshotHoldsTheLastFiftyEventsThatTheSubscriptionCovers() {
        for (int n = 0; n < 200; n++) {
            broadcaster.publish(Event.policy(now(), "main", n % 2 == 0 ? "bank" : "gallery", n, "admin", "changed"));
        }
        List<Event> events = recent.of(new Subscription(Set.of("bank"), 4, Set.of()));

        assertThat(events).hasSize(50).allMatch(event -> "bank".equals(event.about()));
        assertThat(((Event.PolicyChanged) events.getLast()).revision()).isEqualTo(198);
        assertThat(((Event.PolicyChanged) events.getFirst()).revision()).isEqualTo(100);
    }

    private void aWindowAndTurns(int turns) {
        broadcaster.window(bank, now(), Samples.window(2_000_000));
        for (int n = 0; n < turns; n++) {
            broadcaster.turn(++turn, now());
        }
    }

    /** The turns begin with the client, so that its first slice is a whole one. */
    private Mailbox subscribed(double rateHz, Set<String> connections) throws InterruptedException {
        return subscribed(new Subscription(Set.of("*"), rateHz, connections));
    }

    private static Subscription summary(Summary.Part part) {
        return new Subscription(Set.of(), 4, Set.of(), Set.of(), Set.of(), part);
    }

    private Mailbox subscribed(Subscription subscription) throws InterruptedException {
        Mailbox mailbox = new Mailbox(JsonMapper.shared(), counts, Rooms.large());
        clients.add(mailbox, false);
        mailbox.subscribe(subscription);
        mailbox.take(0);
        broadcaster.turn(0, now());
        mailbox.take(0);
        return mailbox;
    }

    private Instant now() {
        return Samples.NOON.plusMillis(50 * turn);
    }
}
