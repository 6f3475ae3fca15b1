package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.wire.auth.ScramVerifier;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop of the wire port that stands still, in real time. */
@Timeout(60)
class LoopStallTest {

    private static final Directory NOBODY = new Directory() {
        @Override
        public Optional<Domain> domain(String name) {
            return Optional.empty();
        }

        @Override
        public Optional<ScramVerifier> client(String domain, String user) {
            return Optional.empty();
        }

        @Override
        public Operations operations() {
            throw new UnsupportedOperationException("the console is not used");
        }
    };

    private final BlockingQueue<String> told = new ArrayBlockingQueue<>(10);
    private final LoopListener listener = new LoopListener() {
        @Override
        public void stalled(Turning loop, Instant since, String threads) {
            told.add(threads);
        }

        @Override
        public void turnsAgain(Turning loop, Duration stood) {
            told.add("turns");
        }
    };

    @Test
    void aLoopThatStandsStillIsToldOfWithWhatKeepsIt() throws Exception {
        try (WirePort port = open()) {
            CountDownLatch release = new CountDownLatch(1);
            port.onLoop(() -> spinUntil(release));
            String threads = told.poll(10, TimeUnit.SECONDS);
            assertThat(threads).contains("\"wire-loop-0\"").contains("spinUntil");
            assertThat(port.loops()).singleElement().matches(LoopStatus::isStalled);
            release.countDown();
            assertThat(told.poll(10, TimeUnit.SECONDS)).isEqualTo("turns");
        }
    }

    @Test
    void aPortWhoseLoopStandsStillClosesInTime() throws Exception {
        WirePort port = open();
        CountDownLatch release = new CountDownLatch(1);
        port.onLoop(() -> spinUntil(release));
        told.take();
        long begin = System.nanoTime();
        port.close(Duration.ofMillis(100));
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        release.countDown();
    }

    private WirePort open() throws IOException {
        return WirePort.open(
                WireSettings.on(InetAddress.getLoopbackAddress(), 0).withLoops(1), NOBODY, listener);
    }

    private static void spinUntil(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            Thread.onSpinWait();
        }
    }
}
