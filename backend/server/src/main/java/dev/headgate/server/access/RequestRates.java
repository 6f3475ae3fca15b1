package dev.headgate.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.headgate.server.HeadgateProperties;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Bounds the requests per second of each caller, by a token bucket (Turner, "New directions in communications", 1986) that
 * holds two seconds' worth. Safe for any thread.
 */
@Component
final class RequestRates {

    /** The size of a bucket, in seconds of its rate. */
    static final int SECONDS_AT_ONCE = 2;

    /** The most callers that are remembered. A forgotten caller starts with a full bucket. */
    private static final int MOST_CALLERS = 10_000;

    /**
     * The verdict on one request.
     *
     * @param remaining requests that the caller may make at once
     * @param untilFull the time until the bucket is full
     * @param untilNext the time until the next request is allowed; zero if this one was
     */
    record Verdict(boolean allowed, long remaining, Duration untilFull, Duration untilNext) {}

    private final int perSecond;
    private final TimeMeter time;
    private final Cache<String, Bucket> buckets =
            Caffeine.newBuilder().maximumSize(MOST_CALLERS).build();

    @Autowired
    RequestRates(HeadgateProperties properties) {
        this(properties.limits().requestsPerSecond(), TimeMeter.SYSTEM_NANOTIME);
    }

    RequestRates(int perSecond, TimeMeter time) {
        this.perSecond = perSecond;
        this.time = time;
    }

    int perSecond() {
        return perSecond;
    }

    /** The most requests that a caller may make at once. */
    int atOnce() {
        return SECONDS_AT_ONCE * perSecond;
    }

    /** Counts one request. */
    Verdict ask(String caller) {
        ConsumptionProbe probe = buckets.get(caller, _ -> bucket()).tryConsumeAndReturnRemaining(1);
        return new Verdict(
                probe.isConsumed(),
                probe.getRemainingTokens(),
                Duration.ofNanos(probe.getNanosToWaitForReset()),
                Duration.ofNanos(probe.getNanosToWaitForRefill()));
    }

    private Bucket bucket() {
        return Bucket.builder()
                .addLimit(limit -> limit.capacity(atOnce()).refillGreedy(perSecond, Duration.ofSeconds(1)))
                .withCustomTimePrecision(time)
                .build();
    }
}
