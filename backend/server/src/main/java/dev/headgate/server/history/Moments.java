package dev.headgate.server.history;

import dev.headgate.server.api.Second;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.springframework.stereotype.Component;

/**
 * Finds the figures of a domain at one instant: in memory, or in the control store where memory does not reach back. They are those of
 * the second that holds the instant, or of a longer row where seconds are not kept any more. Blocks on the store.
 */
@Component
class Moments {

    private final History history;
    private final Ranges ranges;

    Moments(History history, Ranges ranges) {
        this.history = history;
        this.ranges = ranges;
    }

    /** Of a domain; of a deleted one, if there is no other of that name. */
    Optional<Explanation.Moment> of(String domain, Instant at) {
        return history.at(domain, at).or(() -> ranges.at(domain, at)).map(Explanation.Moment::of);
    }

    /** The connections of the domain that had this name then, whether it is there, or another one is, or none. */
    OptionalInt size(String domain, Instant at) {
        return history.at(domain, at)
                .or(() -> ranges.then(domain, at))
                .map(Second::size)
                .map(size -> OptionalInt.of((int) Math.round(size)))
                .orElseGet(OptionalInt::empty);
    }
}
