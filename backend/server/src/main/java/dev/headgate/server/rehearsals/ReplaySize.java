package dev.headgate.server.rehearsals;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** Bounds the size of a replay. Checked before the record is read. */
final class ReplaySize {

    /** Lease requests of all domains of a database: five minutes at 800 a second, about 10 MB. */
    static final int MOST_LEASES = 250_000;

    private ReplaySize() {}

    /**
     * Refuses a replay that would be too large.
     *
     * @param least the fewest seconds that are replayed
     * @param recorded the number of lease requests in the last so many seconds
     * @throws ProblemException invalid-request, with the bound and the seconds that would fit, under "/seconds"
     */
    static void require(int least, int seconds, IntToLongFunction recorded) {
        long wanted = recorded.applyAsLong(seconds);
        if (wanted <= MOST_LEASES) {
            return;
        }
        int fitting = longestThatFits(least, seconds, recorded);
        String size = "have %d requests for leases on the whole database, and a replay takes at most %d; "
                .formatted(wanted, MOST_LEASES);
        throw refused(
                "the last " + seconds + " s " + size
                        + (fitting < least
                                ? "the last " + least + " s do not fit either"
                                : "the last " + fitting + " s would fit"),
                fitting < least ? null : least + ".." + fitting);
    }

    private static ProblemException refused(String message, @Nullable String allowed) {
        return ProblemException.of(
                ProblemType.INVALID_REQUEST,
                List.of(allowed == null ? Fault.at("/seconds", message) : Fault.at("/seconds", message, allowed)));
    }

    /** The longest replay that fits; less than {@code least} if none does. */
    private static int longestThatFits(int least, int seconds, IntToLongFunction recorded) {
        int fits = least - 1;
        int tooLong = seconds;
        while (tooLong - fits > 1) {
            int middle = (fits + tooLong) / 2;
            if (recorded.applyAsLong(middle) <= MOST_LEASES) {
                fits = middle;
            } else {
                tooLong = middle;
            }
        }
        return fits;
    }
}
