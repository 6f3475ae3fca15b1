package dev.headgate.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.lab.Client;
import dev.headgate.lab.load.Action.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Time is virtual: it passes while users wait, and while they are served. */
class UserTest {

    private static final long MILLI = 1_000_000;
    private static final Duration THINK = Duration.ofMillis(10);
    private static final long SEED = 3;

    private final AtomicLong now = new AtomicLong();
    private final List<Long> sent = new ArrayList<>();
    private final Client client = new Client(new SplittableRandom(SEED), now::addAndGet);

    private Answer served(Client user) {
        sent.add(now.get());
        now.addAndGet(2 * MILLI);
        return Answer.DONE;
    }

    private static Sessions of(Action... requests) {
        return user -> List.of(requests).iterator();
    }

    @Test
    void aUserThinksBetweenTheRequestsOfASession() throws Exception {
        Tally tally = new Tally(0, 1_000 * MILLI);
        long due = new User(client, THINK, now::get, 1_000 * MILLI, tally)
                .visit(of(this::served, this::served, this::served), 5 * MILLI);

        SplittableRandom random = new SplittableRandom(SEED);
        List<Long> expected = new ArrayList<>();
        long next = 5 * MILLI;
        for (int i = 0; i < 3; i++) {
            expected.add(next);
            next += 2 * MILLI + (long) (THINK.toNanos() * random.nextExponential());
        }
        assertThat(sent).isEqualTo(expected);
        assertThat(due).isEqualTo(next);
        LoadResult result = tally.result();
        assertThat(result.done()).isEqualTo(3);
        assertThat(result.latency().getMaxValue()).isBetween(2 * MILLI, 2 * MILLI + 10_000);
    }

    @Test
    void nothingIsSentAfterTheLoadsEnd() throws Exception {
        Sessions endless = user -> Stream.<Action>generate(() -> this::served).iterator();
        long end = 200 * MILLI;
        long due = new User(client, THINK, now::get, end, new Tally(0, end)).visit(endless, 0);

        assertThat(sent).hasSizeGreaterThan(5).allMatch(at -> at < end);
        assertThat(due).isGreaterThanOrEqualTo(end);
    }

    @Test
    void aSessionGoesOnAfterAFailure() throws Exception {
        Action broken = user -> {
            throw new IllegalStateException("broken");
        };
        Action faulty = user -> {
            throw new AssertionError("faulty");
        };
        Tally tally = new Tally(0, 1_000 * MILLI);
        new User(client, Duration.ZERO, now::get, 1_000 * MILLI, tally).visit(of(broken, faulty, this::served), 0);

        LoadResult result = tally.result();
        assertThat(result.failed()).isEqualTo(2);
        assertThat(result.done()).isEqualTo(1);
        assertThat(result.lastFailure()).isEqualTo("faulty");
    }

    @Test
    void aSessionThatFailsIsAFailedRequest() throws Exception {
        Tally tally = new Tally(0, 1_000 * MILLI);
        User user = new User(client, Duration.ZERO, now::get, 1_000 * MILLI, tally);
        long due = user.visit(
                begins -> {
                    throw new IllegalStateException("cannot begin");
                },
                MILLI);
        Stream<Action> breaksOff = Stream.iterate(0, i -> i + 1).map(i -> {
            if (i == 1) {
                throw new AssertionError("breaks off");
            }
            return this::served;
        });
        due = user.visit(begins -> breaksOff.iterator(), due);

        LoadResult result = tally.result();
        assertThat(result.failed()).isEqualTo(2);
        assertThat(result.done()).isEqualTo(1);
        assertThat(result.lastFailure()).isEqualTo("breaks off");
        assertThat(due).isEqualTo(now.get());
    }
}
