package dev.headgate.wire.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.supervision.Supervisor;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a busy loop does between two messages, with a clock and a selector of the test's. */
class BusyLoopTest {

    private static final long MICRO = 1_000;

    /** Counts looks and sleeps. A look takes a microsecond. */
    private final class Looks extends AbstractSelector {

        Looks() {
            super(SelectorProvider.provider());
        }

        @Override
        public int selectNow(Consumer<SelectionKey> action) {
            looks++;
            clock += MICRO;
            whileLooking.run();
            return 0;
        }

        @Override
        public int select(Consumer<SelectionKey> action, long millis) {
            sleeps++;
            return 0;
        }

        @Override
        public Selector wakeup() {
            return this;
        }

        @Override
        public Set<SelectionKey> keys() {
            return Set.of();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        public int selectNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select(long millis) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select() {
            throw new UnsupportedOperationException();
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseSelector() {}
    }

    private final BusyPoll poll = new BusyPoll();
    private long clock;
    private int looks;
    private int sleeps;
    private Runnable whileLooking = () -> {};
    private Loop loop;

    @BeforeEach
    void open() {
        loop = new Loop("test-loop", new Looks(), () -> clock, Supervisor.silent(), Thread.currentThread(), poll);
        for (int i = 0; i < 30; i++) {
            poll.waited(MICRO);
        }
    }

    @Test
    void aLoopLooksForSomeMicrosecondsAndThenSleeps() throws IOException {
        loop.turn();
        assertThat(looks).isEqualTo((int) (BusyPoll.LONGEST_NANOS / MICRO));
        assertThat(sleeps).isOne();
    }

    @Test
    void aLoopThatIsNotBusySleepsAtOnce() throws IOException {
        for (int i = 0; i < 30; i++) {
            poll.waited(2 * BusyPoll.LIKELY_NANOS);
        }
        loop.turn();
        assertThat(looks).isZero();
        assertThat(sleeps).isOne();
    }

    /** The look has used up the wake-up that came with the task. */
    @Test
    void aTaskThatIsHandedInWhileALoopLooksDoesNotWaitForASleep() throws IOException {
        whileLooking = () -> {
            if (looks == 3) {
                joined(new Thread(() -> loop.execute(() -> {})));
            }
        };
        loop.turn();
        assertThat(looks).isEqualTo(3);
        assertThat(sleeps).isZero();
    }

    @Test
    void aLoopThatIsClosedWhileItLooksDoesNotSleep() throws IOException {
        whileLooking = loop::close;
        loop.turn();
        assertThat(looks).isOne();
        assertThat(sleeps).isZero();
    }

    private static void joined(Thread thread) {
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
