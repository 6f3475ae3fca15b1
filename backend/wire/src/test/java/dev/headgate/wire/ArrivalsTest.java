package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final long SECOND = Arrivals.UNDISTURBED.toNanos();

    private static final InetAddress ONE = address(1);
    private static final InetAddress OTHER = address(2);

    private final Arrivals arrivals = new Arrivals(2, 2);
    private final Deque<Runnable> loop = new ArrayDeque<>();
    private final List<String> ended = new ArrayList<>();

    /** The clock may stand at any value, also below zero. */
    private long now = Long.MAX_VALUE - SECOND / 2;

    private Arrivals.Place enter(String name) {
        assertThat(arrivals.untilRoom(now)).isZero();
        Arrivals.Place place = arrivals.enter(now, loop::add, ONE).orElseThrow();
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
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(2, 1, 0));
        assertThat(arrivals.untilRoom(now)).isEqualTo(SECOND / 4);
    }

    @Test
    void aNetworkOfVersion6IsOneAddress() {
        Arrivals many = new Arrivals(10, 2);
        for (int host = 1; host <= 2; host++) {
            assertThat(many.enter(now, loop::add, InetAddress.ofLiteral("2001:db8::" + host)))
                    .isPresent();
        }
        assertThat(many.enter(now, loop::add, InetAddress.ofLiteral("2001:db8::3")))
                .isEmpty();
        assertThat(many.enter(now, loop::add, InetAddress.ofLiteral("2001:db8:0:1::3")))
                .isPresent();
    }

    @Test
    void whoLogsInMakesRoomAndIsNotEnded() {
        Arrivals.Place first = enter("a");
        Arrivals.Place second = enter("b");
        second.leave();
        second.leave();
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(1, 0, 0));
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
        assertThat(arrivals.status()).isEqualTo(new ArrivalStatus(2, 1, 0));
    }

    /** It stays in the queue behind an older one, and its buffers would too. */
    @Test
    void whoHasLeftIsNotHeld() {
        enter("a");
        Arrivals.Place second = arrivals.enter(now, loop::add, ONE).orElseThrow();
        WeakReference<Object> client = occupy(second);
        second.leave();
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            System.gc();
            return client.get() == null;
        });
        assertThat(arrivals.status().present()).isEqualTo(1);
    }

    @Test
    void anAddressTakesThePlacesOfItsOwn() {
        Arrivals shared = new Arrivals(10, 2);
        Arrivals.Place first = enter(shared, "a", ONE).orElseThrow();
        assertThat(enter(shared, "b", ONE)).isPresent();
        assertThat(enter(shared, "c", ONE)).as("nobody of it had a second").isEmpty();
        assertThat(enter(shared, "d", OTHER)).isPresent();
        assertThat(shared.status()).isEqualTo(new ArrivalStatus(3, 0, 1));
        first.leave();
        assertThat(enter(shared, "e", ONE)).isPresent();
        now += SECOND;
        assertThat(enter(shared, "f", ONE)).isPresent();
        turn();
        assertThat(ended).containsExactly("b");
        assertThat(shared.status()).isEqualTo(new ArrivalStatus(3, 1, 1));
    }

    private Optional<Arrivals.Place> enter(Arrivals into, String name, InetAddress address) {
        assertThat(into.untilRoom(now)).isZero();
        Optional<Arrivals.Place> place = into.enter(now, loop::add, address);
        place.ifPresent(each -> each.onEnd(() -> ended.add(name)));
        return place;
    }

    private static InetAddress address(int last) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WeakReference<Object> occupy(Arrivals.Place place) {
        Object client = new Object();
        place.onEnd(client::notifyAll);
        return new WeakReference<>(client);
    }
}
