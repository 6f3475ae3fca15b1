package dev.headgate.engine.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A permit is always free and never where a request looks: others take it from there at that moment, after they have put one elsewhere. */
class MovingPermitsTest {

    /** More than a request looks at in all its attempts, if it does not look until it knows. */
    private static final int MOVES = 101;

    private static final class MovingPermits extends Permits {
        private int moves;
        private int place;

        MovingPermits(VirtualTime time) {
            super(time);
        }

        @Override
        int ownPlace() {
            return place == 0 ? super.ownPlace() : place;
        }

        /** Moves the free permit to the place before, at which the request has looked. */
        @Override
        long tickets(int looked) {
            if (moves > 0 && place == 0 && (int) super.tickets(looked) > 0) {
                moves--;
                place = placeAfter(looked, -1);
                putBack(1);
                place = looked;
                assertThat(tryTake()).isTrue();
                place = 0;
            }
            return super.tickets(looked);
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final MovingPermits permits = new MovingPermits(time);
    private final Gate gate = new Gate(time, rules(WhenExhausted.Mode.QUEUE), () -> {}, permits);
    private final List<String> told = new ArrayList<>();

    MovingPermitsTest() {
        gate.resize(2);
        assertThat(permits.tryTake()).as("the one that others move").isTrue();
    }

    private static Rules rules(WhenExhausted.Mode mode) {
        return new Rules(Passage.OPEN, new WhenExhausted(mode, 1_000_000_000L, 10), true);
    }

    private void ask() {
        gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                told.add("admitted");
            }

            @Override
            public void refused(Refusal refusal) {
                told.add(refusal.why().toString());
            }
        });
    }

    @Test
    void whoDoesNotWaitIsAdmitted() throws Refusal {
        gate.setRules(rules(WhenExhausted.Mode.FAIL));
        permits.moves = MOVES;
        ask();
        assertThat(told).containsExactly("admitted");
        gate.release();
        permits.moves = MOVES;
        assertThat(gate.acquire(0)).isZero();
    }

    @Test
    void whoComesToTheDoorIsLetIn() throws Refusal {
        gate.setRules(rules(WhenExhausted.Mode.REJECT));
        permits.moves = MOVES;
        gate.enter();
        assertThat(gate.refusedTotal()).isZero();
    }

    @Test
    void whomTheRateAloneHoldsBackWaits() {
        gate.setRate(10, 1, null);
        ask();
        gate.release();
        gate.setRules(rules(WhenExhausted.Mode.FAIL));
        permits.moves = MOVES;
        ask();
        permits.moves = MOVES;
        gate.refuseWaiters();
        assertThat(told).containsExactly("admitted");
        assertThat(gate.waiting()).isEqualTo(1);
        permits.moves = 0;
        time.advance(100_000_000);
        assertThat(told).containsExactly("admitted", "admitted");
    }
}
