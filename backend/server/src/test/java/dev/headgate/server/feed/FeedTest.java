package dev.headgate.server.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.spi.Window;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeedTest {

    private final Feed feed = new Feed();
    private final FakePool pool = new FakeDatabase("main", 40).add("bank");
    private final Supervisor supervisor = Supervisor.silent();
    private final Clock noon = Clock.fixed(Samples.NOON, ZoneOffset.UTC);

    @Test
    void whatWasToldComesInOrderAndThenTheTurn() {
        Recording recording = new Recording();
        FeedThread thread = new FeedThread(feed, List.of(recording), noon, supervisor);

        feed.window(pool, Samples.NOON, Samples.window());
        feed.decided(Samples.decision(1, "bank", Decision.Kind.GREW, 1));
        feed.fault("main", new IllegalStateException("a defect"));
        thread.turn();
        thread.turn();

        assertThat(recording.told).containsExactly("window bank", "decision test-1", "fault main", "turn 1", "turn 2");
    }

    @Test
    void aListenerThatThrowsCostsTheOthersNothingAndIsCounted() {
        Recording recording = new Recording();
        Listener broken = new Listener() {
            @Override
            public void window(Pool of, Instant end, Window window) {
                throw new NoClassDefFoundError("broken on purpose");
            }
        };
        FeedThread thread = new FeedThread(feed, List.of(broken, recording), noon, supervisor);

        feed.window(pool, Samples.NOON, Samples.window());
        thread.turn();

        assertThat(recording.told).containsExactly("window bank", "turn 1");
        assertThat(supervisor.tasks()).singleElement().satisfies(task -> {
            assertThat(task.name()).isEqualTo("headgate-feed");
            assertThat(task.failures()).isEqualTo(1);
        });
    }

    @Test
    void windowsBeyondTheCapacityAreDroppedAndCountedAndDecisionsAreNot() {
        Window window = Samples.window();
        for (int n = 0; n < Feed.CAPACITY + 7; n++) {
            feed.window(pool, Samples.NOON, window);
        }
        feed.decided(Samples.decision(1, "bank", Decision.Kind.GREW, 1));
        Recording recording = new Recording();
        new FeedThread(feed, List.of(recording), noon, supervisor).turn();

        assertThat(feed.dropped()).isEqualTo(7);
        assertThat(recording.told).hasSize(Feed.CAPACITY + 2).contains("decision test-1");

        feed.window(pool, Samples.NOON, window);
        assertThat(feed.dropped()).as("there is room again").isEqualTo(7);
    }

    private static final class Recording implements Listener {
        final List<String> told = new ArrayList<>();

        @Override
        public void window(Pool pool, Instant end, Window window) {
            told.add("window " + pool.domain());
        }

        @Override
        public void decided(Decision decision) {
            told.add("decision " + decision.id());
        }

        @Override
        public void fault(String database, Throwable fault) {
            told.add("fault " + database);
        }

        @Override
        public void turn(long number, Instant now) {
            told.add("turn " + number);
        }
    }
}
