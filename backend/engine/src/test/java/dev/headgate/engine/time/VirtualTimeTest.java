package dev.headgate.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VirtualTimeTest {

    private final VirtualTime time = new VirtualTime();
    private final List<String> ran = new ArrayList<>();

    @Test
    void runsTasksInTheOrderOfTheirInstantsAndOnlyWhenDue() {
        time.after(20, () -> ran.add("late at " + time.sinceStartNanos()));
        time.after(10, () -> ran.add("early at " + time.sinceStartNanos()));
        time.after(10, () -> ran.add("early too"));
        time.runUntil(19);
        assertThat(ran).containsExactly("early at 10", "early too");
        assertThat(time.sinceStartNanos()).isEqualTo(19);
        time.runUntil(20);
        assertThat(ran).endsWith("late at 20");
        assertThat(time.pending()).isZero();
    }

    @Test
    void runsWhatATaskSchedulesWithinTheSameStretch() {
        time.after(10, () -> time.after(0, () -> ran.add("now")));
        time.runFor(Duration.ofNanos(10));
        assertThat(ran).containsExactly("now");
    }

    @Test
    void forgetsCancelledTasks() {
        Time.Timer timer = time.after(10, () -> ran.add("never"));
        timer.cancel();
        time.runFor(Duration.ofSeconds(1));
        assertThat(ran).isEmpty();
    }

    @Test
    void repeatsAtAFixedPeriodHoweverFarItIsRun() {
        time.every(Duration.ofMillis(100).toNanos(), () -> ran.add("tick"));
        time.runFor(Duration.ofMillis(250));
        time.runFor(Duration.ofMillis(750));
        assertThat(ran).hasSize(10);
    }

    @Test
    void bothClocksPassTogether() {
        long before = time.nanoTime();
        time.runFor(Duration.ofSeconds(90));
        assertThat(time.nanoTime() - before).isEqualTo(Duration.ofSeconds(90).toNanos());
        assertThat(time.now()).isEqualTo(VirtualTime.EPOCH.plusSeconds(90));
    }

    @Test
    void runsLateWhatFellDueWhileItStoodStill() {
        time.after(10, () -> ran.add("at " + time.sinceStartNanos()));
        time.standStill(50);
        assertThat(ran).isEmpty();
        time.advance(0);
        assertThat(ran).containsExactly("at 50");
    }
}
