package dev.headgate.server.alarms;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.Optional;

/** A condition that the engine cannot see, of every domain or of some. */
interface Condition {

    /** The alarm's code, such as "wire-stalled". */
    String code();

    /** The alarm's message while the condition holds. Called once a second on the feed's thread. */
    Optional<String> message(Instant now);

    /** Whether the alarm stands on that pool. Called while the condition holds, after {@link #message}, on the same thread. */
    default boolean concerns(Pool pool) {
        return true;
    }

    default Severity severity() {
        return Severity.CRITICAL;
    }
}
