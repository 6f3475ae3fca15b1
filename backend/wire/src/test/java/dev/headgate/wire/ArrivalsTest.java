package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final long SECOND = Arrivals.UNDISTURBED.toNanos();

    private final Arrivals arrivals = new Arrivals(2);
    private final Deque<Runnable> loop = new ArrayDeque<>();
    private final List<String> ended = new ArrayList<>();

    /** The clock may stand at any value, also below zero. */
    private long now = Long.MAX_VALUE - SECOND / 2;

    private Arrivals.Place enter(String name) {
        assertThat(arrivals.untilRoom(now)).isZero();
        Arrivals.Place place = arrivals.enter(now, loop::add);
        place.onEnd(() -> ended.add(name));
        return place;
    }

    private void turn() {
        while (!loop.isEmpty()) {
            loop.poll().run();
        }
    }

    @Test
    void theOldestGivesWayWhenItHadItsSecond() {
        enter("a");
        now += SECOND / 4;
        enter("b");
        now += SECOND / 4;
        assertThat(arrivals.untilRoom(now)).isEqualTo(SECOND / 2);
        now += SECOND / 2;
        enter("c");
        turn();
        assertThat(ended).containsExactly("a");
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(2, 1));
        assertThat(arrivals.untilRoom(now)).isEqualTo(SECOND / 4);
    }

    @Test
    void whoLogsInMakesRoomAndIsNotEnded() {
        Arrivals.Place first = enter("a");
        Arrivals.Place second = enter("b");
        second.leave();
        second.leave();
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(1, 0));
        now += 10 * SECOND;
        enter("c");
        first.leave();
        enter("d");
        turn();
        assertThat(ended).isEmpty();
        now += SECOND;
        enter("e");
        turn();
        assertThat(ended).containsExactly("c");
    }

    @Test
    void whoGaveWayLeavesOnce() {
        Arrivals.Place first = enter("a");
        enter("b");
        now += SECOND;
        enter("c");
        first.leave();
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(2, 1));
    }

    /** It stays in the queue behind an older one, and its buffers would too. */
    @Test
    void whoHasLeftIsNotHeld() {
        enter("a");
        Arrivals.Place second = arrivals.enter(now, loop::add);
        WeakReference<Object> client = occupy(second);
        second.leave();
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            System.gc();
            return client.get() == null;
        });
        assertThat(arrivals.status().present()).isEqualTo(1);
    }

    private static WeakReference<Object> occupy(Arrivals.Place place) {
        Object client = new Object();
        place.onEnd(client::notifyAll);
        return new WeakReference<>(client);
    }
}
