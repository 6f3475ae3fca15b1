package dev.headgate.server.alarms;

import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
import dev.headgate.server.store.ControlStore;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** The control store cannot be reached. It concerns every domain: no setting can be changed, and the history waits in memory. */
@Component
class StoreAway implements Condition {

    private final Supplier<Optional<ControlStore.Away>> away;

    @Autowired
    StoreAway(ControlStore store) {
        this(store::away);
    }

    StoreAway(Supplier<Optional<ControlStore.Away>> away) {
        this.away = away;
    }

    @Override
    public String code() {
        return "store-away";
    }

    /** Pools and clients go on. */
    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public Finding look(Instant now) {
        return Finding.onAll(away.get()
                .map(it -> Words.been(
                        "control store away",
                        "The control store",
                        "unreachable",
                        "nothing can be changed, and the history waits in memory: " + it.reason())));
    }
}
