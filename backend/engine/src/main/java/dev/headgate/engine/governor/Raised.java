package dev.headgate.engine.governor;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import java.time.Instant;
import java.util.Optional;

/** An alarm from outside of the engine. */
public record Raised(PoolStatus.Severity severity, Words words, Instant since) {

    /** The same alarm as it was raised again. */
    public Raised again(Raised later) {
        return new Raised(later.severity, later.words, since);
    }

    /** As it stands before a step has seen it. */
    RaisedAlarm alarm(String code) {
        return new RaisedAlarm(code, words, since, severity, Reach.SERVICE, 1, Optional.empty());
    }
}
