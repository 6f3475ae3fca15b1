package dev.headgate.server.history;

import dev.headgate.server.api.HistoryJson;
import java.time.Instant;
import java.util.Optional;
import org.springframework.stereotype.Component;

/** Finds the figures of a domain at one instant: in memory, or in the control store where memory does not reach back. */
@Component
class Moments {

    private final History history;
    private final Ranges ranges;

    Moments(History history, Ranges ranges) {
        this.history = history;
        this.ranges = ranges;
    }

    /** Of the second that holds the instant; of a longer row where seconds are not kept any more. Blocks on the store. */
    Optional<Explanation.Moment> of(String domain, Instant at) {
        return history.of(domain, History.LENGTH)
                .flatMap(past -> of(past, at))
                .or(() -> ranges.at(domain, at).map(Explanation.Moment::of));
    }

    private static Optional<Explanation.Moment> of(HistoryJson seconds, Instant at) {
        // a row's time is its second's end
        int row = seconds.time().indexOf(Instant.ofEpochSecond(at.getEpochSecond() + 1));
        if (row < 0) {
            return Optional.empty();
        }
        HistoryJson.Columns columns = seconds.columns();
        return Optional.of(new Explanation.Moment(
                columns.inUse().get(row),
                columns.size().get(row),
                columns.waiting().get(row),
                columns.floor().get(row),
                columns.ceiling().get(row),
                columns.meanMs().get(row),
                columns.p99Ms().get(row),
                columns.waitP99Ms().get(row),
                columns.refusedPerSecond().get(row)));
    }
}
