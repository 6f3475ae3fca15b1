package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.connect.Orphans.Orphan;
import dev.headgate.engine.time.VirtualTime;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a server is asked to end what nobody waits for any more. */
class OrphansTest {

    private final VirtualTime time = new VirtualTime();
    private final List<List<Orphan>> asked = new ArrayList<>();
    private boolean reachable = true;
    private final Orphans orphans = new Orphans(
            gone -> {
                asked.add(gone);
                if (!reachable) {
                    throw new SQLException("the server is away", "08001");
                }
            },
            time,
            Runnable::run);

    /** For connections whose server is asked for nothing. */
    static Orphans none() {
        return new Orphans(gone -> {}, new VirtualTime(), Runnable::run);
    }

    private Orphan orphan(int process) {
        return new Orphan(process, time.nanoTime());
    }

    @Test
    void theServerIsAskedASecondLaterForAllTogether() {
        Orphan first = orphan(1);
        orphans.add(first);
        time.runFor(Duration.ofMillis(600));
        Orphan second = orphan(2);
        orphans.add(second);
        time.runFor(Duration.ofMillis(399));
        assertThat(asked).isEmpty();
        time.runFor(Duration.ofMillis(1));
        assertThat(asked).containsExactly(List.of(first, second));
        time.runFor(Duration.ofMinutes(5));
        assertThat(asked).as("it was reached").hasSize(1);
    }

    @Test
    void aServerThatIsAwayIsAskedAgainForAMinute() {
        reachable = false;
        Orphan early = orphan(1);
        orphans.add(early);
        time.runFor(Duration.ofSeconds(30));
        assertThat(asked).hasSize(30);
        Orphan late = orphan(2);
        orphans.add(late);
        time.runFor(Duration.ofSeconds(31));
        assertThat(asked.getLast()).as("the first has waited for a minute").containsExactly(late);
        reachable = true;
        time.runFor(Duration.ofMinutes(5));
        assertThat(asked).hasSize(62);
        assertThat(time.pending()).isZero();
    }

    @Test
    void aDatabaseThatIsClosedAsksNoMore() {
        orphans.add(orphan(1));
        orphans.close();
        orphans.add(orphan(2));
        time.runFor(Duration.ofMinutes(5));
        assertThat(asked).isEmpty();
    }
}
