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

    /** Whether the condition holds. Called once a second on the feed's thread. */
    Finding look(Instant now);

    /**
     * Where a condition holds.
     *
     * @param ofService the alarm's message, if it concerns the whole service; so it is told also where there is no pool
     * @param ofPool the alarm's message for a pool that it concerns; to be asked at once, on the same thread
     */
    record Finding(Optional<String> ofService, Function<Pool, Optional<String>> ofPool) {

        /** The same message for every pool; empty while the condition does not hold. */
        static Finding onAll(Optional<String> message) {
            return new Finding(message, _ -> message);
        }

        static Finding onSome(Function<Pool, Optional<String>> message) {
            return new Finding(Optional.empty(), message);
        }
    }

    default Severity severity() {
        return Severity.CRITICAL;
    }
}
