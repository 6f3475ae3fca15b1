package dev.headgate.server.alarms;

import dev.headgate.engine.governor.Words;
import dev.headgate.server.wire.WireClients;
import dev.headgate.wire.LoopStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/** A loop of the wire port does not turn. It concerns every domain, because each has clients on each loop. */
@Component
class StalledLoops implements Condition {

    private final Supplier<List<LoopStatus>> loops;

    @Autowired
    StalledLoops(WireClients wire) {
        this(wire::loops);
    }

    StalledLoops(Supplier<List<LoopStatus>> loops) {
        this.loops = loops;
    }

    @Override
    public String code() {
        return "wire-stalled";
    }

    @Override
    public Finding look(Instant now) {
        return Finding.onAll(words(now));
    }

    Optional<Words> words(Instant now) {
        List<LoopStatus> all = loops.get();
        List<LoopStatus> stalled = all.stream().filter(LoopStatus::isStalled).toList();
        return stalled.stream()
                .findFirst()
                .map(first -> "its clients get no answer: %d of its %d loops %s not turned for %d s"
                        .formatted(
                                stalled.size(),
                                all.size(),
                                stalled.size() == 1 ? "has" : "have",
                                first.stalled().toSeconds()))
                .map(detail -> Words.been("wire port stalled", "The wire port", "stalled", detail));
    }
}
