package dev.headgate.server.alarms;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
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
     * @param ofService the alarm's words, if it concerns the whole service; so it is told also where there is no pool
     * @param ofPool the alarm's words for a pool that it concerns; to be asked at once, on the same thread
     */
    record Finding(Optional<Words> ofService, Function<Pool, Optional<Words>> ofPool) {

        /** The same words for every pool; empty while the condition does not hold. */
        static Finding onAll(Optional<Words> words) {
            return new Finding(words, _ -> words);
        }

        static Finding onSome(Function<Pool, Optional<Words>> words) {
            return new Finding(Optional.empty(), words);
        }
    }

    default Severity severity() {
        return Severity.CRITICAL;
    }
}
