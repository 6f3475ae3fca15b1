package dev.headgate.server.alarms;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.Severity;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/** A condition that the engine cannot see, of every domain or of some. */
interface Condition {

    /** The alarm's code, such as "wire-stalled". */
    String code();

    /**
     * Whether the condition holds. Called once a second on the feed's thread.
     *
     * @return the alarm's message for a pool that it concerns; to be asked at once, on the same thread
     */
    Function<Pool, Optional<String>> look(Instant now);

    /** The same message for every pool; empty while the condition does not hold. */
    static Function<Pool, Optional<String>> onAll(Optional<String> message) {
        return _ -> message;
    }

    default Severity severity() {
        return Severity.CRITICAL;
    }
}
