package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Samples;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In virtual time: a window of each domain every 100 ms, and a look once a second. */
class ConvoyWatchTest {

    private static final int MEAN = 8;

    private final FakeDatabase database = new FakeDatabase("main", 40);
    private final List<FakePool> pools = List.of(database.add("bank"), database.add("gallery"), database.add("lone"));
    private final FakeDatabase other = new FakeDatabase("other", 40);
    private final List<FakePool> elsewhere = List.of(other.add("shop"), other.add("depot"));

    /** Those with requests. */
    private List<FakePool> served = pools;

    private final SplittableRandom random = new SplittableRandom(7);
    private final Queue<Runnable> asked = new ArrayDeque<>();
    private final List<String> messages = new ArrayList<>();
    private Instant now = Samples.NOON;
    private final InstantSource instants = () -> now;
    private final ConvoyWatch watch = new ConvoyWatch(asked::add, instants.withZone(ZoneOffset.UTC));

    @BeforeEach
    void theOtherIsAnotherServer() {
        other.retarget(Target.of("other", "127.0.0.1", 5433, "demo", "headgate", FakeDatabase.PASSWORD, 40));
    }

    /** Connections on lease of a domain that does not stand still. */
    private double usual = 3;

    /** Requests that wait at a domain that stands still. */
    private int waiting;

    /** A tenth of a second; the named domains end no request. */
    private void tenth(double onLease, String... still) {
        now = now.plusMillis(100);
        for (FakePool pool : served) {
            boolean stands = Arrays.asList(still).contains(pool.domain());
            long[] requests = new long[stands ? 0 : poisson()];
            Arrays.fill(requests, 1_000_000);
            // what is under way is known when it ends: while nothing ends, it is none
            Window window = Samples.busy(0, stands ? waiting : 0, stands ? onLease : usual, requests);
            watch.window(pool, now, stands ? withoutActive(window, window.lengthNanos()) : window);
        }
        long number = now.toEpochMilli() / 100;
        watch.turn(number, now);
        if (number % 10 == 0) {
            served.forEach(pool -> told(pool).ifPresent(messages::add));
        }
    }

    private Optional<String> told(FakePool pool) {
        return watch.look(now).ofPool().apply(pool).map(words -> words.sentence() + ": " + words.detail());
    }

    private static Window withoutActive(Window window, long lengthNanos) {
        return new Window(
                window.startNanos(),
                lengthNanos,
                window.latency(),
                window.waits(),
                window.arrivals(),
                window.leases(),
                window.refused(),
                window.errors(),
                0,
                window.meanInUse(),
                window.size(),
                window.waiting(),
                window.connections());
    }

    private int poisson() {
        int count = 0;
        for (double time = random.nextExponential(); time < MEAN; time += random.nextExponential()) {
            count++;
        }
        return count;
    }

    private void tenths(int number, double onLease, String... still) {
        for (int i = 0; i < number; i++) {
            tenth(onLease, still);
        }
    }

    @Test
    void domainsThatStandStillTogetherAreNamedWithWhatTheyWaitFor() {
        database.waits =
                List.of(new ServerWait("Lock transactionid", 5, List.of(4711)), new ServerWait("", 1, List.of()));
        tenths(200, 3);
        assertThat(messages).isEmpty();

        tenths(2, 3, "bank", "gallery");
        assertThat(asked).hasSize(1);
        asked.remove().run();
        tenths(4, 3, "bank", "gallery");
        tenths(14, 3);

        assertThat(messages.getLast())
                .startsWith(
                        "bank and gallery have stood still together: on 127.0.0.1:5432 for 0.6 s at 12:00:20.0 UTC; ")
                .endsWith(
                        "of their 6 statements in the server 5 waited for Lock transactionid (behind process 4711) and 1 ran");
        assertThat(watch.severity()).isEqualTo(Severity.WARNING);
        assertThat(pools)
                .filteredOn(pool -> told(pool).isPresent())
                .extracting(FakePool::domain)
                .containsExactly("bank", "gallery");

        tenths(400, 3);
        assertThat(pools).allSatisfy(pool -> assertThat(told(pool)).isEmpty());
        assertThat(asked).hasSizeLessThan(5); // two domains are low together by chance now and then
    }

    /** Its requests wait for somebody to resume it. The other's standstill, at the same time, is its own. */
    @Test
    void aPausedDomainIsInNoConvoy() {
        tenths(200, 3);
        pools.getFirst().show(Samples.status("bank", "main", 5, PoolStatus.State.PAUSED));
        waiting = 4;
        tenths(20, 0, "bank");
        tenths(6, 3, "bank", "gallery");
        tenths(14, 3, "bank");

        assertThat(messages).isEmpty();
    }

    @Test
    void whatCouldNotBeAskedInTimeIsNotSaid() {
        database.waits = List.of(new ServerWait("Lock transactionid", 5, List.of(4711)));
        tenths(200, 3);
        tenths(6, 3, "bank", "gallery");
        tenths(4, 3);
        asked.remove().run();
        tenths(10, 3);

        assertThat(messages.getLast()).endsWith("what they waited for could not be asked in time");
    }

    /** One long window in place of many: the governor's thread got no processor. */
    @Test
    void headgatesOwnDelayIsToldAsTheFirstThingToLookAt() {
        tenths(200, 3);
        now = now.plusMillis(700);
        for (FakePool pool : served) {
            watch.window(pool, now, withoutActive(Samples.busy(0, 0, 3), 800_000_000));
        }
        tenths(13, 3);

        assertThat(messages.getLast())
                .contains(" have stood still together: ")
                .endsWith(" UTC; Headgate itself was late by up to 0.7 s: look at its own machine first");
    }

    /** Their requests are short: most of the time they hold no connection, but something ends in every tenth of a second. */
    @Test
    void domainsWithFewShortRequestsStandStillTogetherToo() {
        usual = 0.2;
        tenths(200, 1);
        tenths(6, 1, "bank", "gallery");
        tenths(10, 1);
        assertThat(messages.getLast()).startsWith("bank and gallery have stood still together: ");
    }

    @Test
    void usersWhoPauseTogetherAreNoConvoy() {
        tenths(200, 3);
        tenths(10, 0, "bank", "gallery", "lone");
        tenths(100, 3);
        assertThat(messages).isEmpty();
    }

    @Test
    void oneDomainThatStandsStillIsNoConvoy() {
        tenths(200, 3);
        tenths(10, 3, "bank");
        tenths(100, 3);
        assertThat(messages).isEmpty();
    }

    @Test
    void independentDomainsNeverMakeOne() {
        tenths(20_000, 3);
        assertThat(messages).isEmpty();
    }

    @Test
    void aStumbleIsNoNews() {
        tenths(200, 3);
        for (int i = 0; i < 5; i++) {
            tenths(3, 3, "bank", "gallery", "lone");
            tenths(60, 3);
        }
        assertThat(messages).isEmpty();
    }

    /** While nothing moves, the alarm stands, and its length grows. */
    @Test
    void aStandstillThatGoesOnIsOne() {
        database.waits = List.of(new ServerWait("IO WalSync", 4, List.of()));
        tenths(200, 3);
        tenths(2, 3, "bank", "gallery", "lone");
        asked.remove().run();
        tenths(18, 3, "bank", "gallery", "lone");
        tenths(20, 3);

        assertThat(messages.getLast())
                .startsWith(
                        "bank, gallery and lone have stood still together: on 127.0.0.1:5432 for 2.0 s at 12:00:20.0 UTC")
                .endsWith("of their 4 statements in the server 4 waited for IO WalSync");
    }

    /** Two servers with a convoy each at the same time. */
    @Test
    void aDomainIsToldOfItsOwnServersConvoyAlone() {
        served = Stream.concat(pools.stream(), elsewhere.stream()).toList();
        tenths(200, 3);
        tenths(6, 3, "bank", "gallery", "shop", "depot");
        tenths(10, 3);
        assertThat(told(pools.getFirst()).orElseThrow())
                .startsWith("bank and gallery have stood still together: on 127.0.0.1:5432 ");
        assertThat(told(elsewhere.getFirst()).orElseThrow())
                .startsWith("depot and shop have stood still together: on 127.0.0.1:5433 ");
    }

    @Test
    void aDomainThatMovedIsNotConcerned() {
        tenths(200, 3);
        tenths(6, 3, "bank", "gallery");
        tenths(10, 3);
        assertThat(told(pools.getFirst())).isPresent();
        assertThat(told(pools.getLast())).isEmpty();
        assertThat(elsewhere).allSatisfy(pool -> assertThat(told(pool)).isEmpty());
    }

    /** Else an alarm would say for half a minute that they have stood still together, while they work. */
    @Test
    void aConvoyThatIsOverIsNotToldAsOneThatGoesOn() {
        tenths(200, 3);
        tenths(6, 3, "bank", "gallery");
        tenths(10, 3);
        assertThat(told(pools.getFirst())).isPresent();
        tenths(20, 3);
        assertThat(told(pools.getFirst())).isEmpty();
    }

    @Test
    void aConvoyThatIsOverConcernsNobody() {
        tenths(200, 3);
        tenths(6, 3, "bank", "gallery");
        tenths(10, 3);
        assertThat(told(pools.getFirst())).isPresent();
        tenths(400, 3);
        assertThat(pools).allSatisfy(pool -> assertThat(told(pool)).isEmpty());
    }
}
