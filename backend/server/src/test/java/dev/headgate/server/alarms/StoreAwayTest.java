package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.store.ControlStore;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StoreAwayTest {

    @Test
    void holdsWhileTheControlStoreIsAwayAndSaysWhy() {
        StoreAway there = new StoreAway(Optional::empty);
        assertThat(there.look(Samples.NOON).ofService()).isEmpty();

        StoreAway away = new StoreAway(
                () -> Optional.of(new ControlStore.Away("Connection to db:5432 refused", Samples.NOON, true)));
        assertThat(away.severity()).as("pools and clients go on").isEqualTo(Severity.WARNING);
        assertThat(away.look(Samples.NOON).ofService())
                .contains(Words.been(
                        "control store away",
                        "The control store",
                        "unreachable",
                        "nothing can be changed, and the history waits in memory: Connection to db:5432 refused"));
    }
}
