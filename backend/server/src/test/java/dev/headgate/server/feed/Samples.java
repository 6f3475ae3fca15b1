package dev.headgate.server.feed;

import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.server.api.Second;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Tier;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/** Records of the engine, made by hand. */
public final class Samples {

    public static final long TENTH = 100_000_000;
    public static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private Samples() {}

    public static Latency latency(long... nanos) {
        Histogram histogram = HdrLatency.newHistogram();
        LongStream.of(nanos).forEach(histogram::recordValue);
        return HdrLatency.of(histogram);
    }

    /** Between 0 and 40 durations of 0.1 to 100 ms. */
    public static long[] durations(RandomGenerator random) {
        return LongStream.generate(() -> random.nextLong(100_000, 100_000_000))
                .limit(random.nextInt(41))
                .toArray();
    }

    /** So many leases, each after a wait of 1 ms. */
    public static Latency waits(int number) {
        return latency(LongStream.generate(() -> 1_000_000).limit(number).toArray());
    }

    /** 100 ms in which requests took this long, each lease waited 1 ms, and nothing failed. */
    public static Window window(long... nanos) {
        return busy(0, 0, 3, nanos);
    }

    public static Window busy(long errors, int waiting, double inUse, long... nanos) {
        return new Window(
                0,
                TENTH,
                latency(nanos),
                waits(nanos.length),
                nanos.length,
                nanos.length,
                0,
                errors,
                inUse,
                inUse,
                5,
                waiting,
                List.of());
    }

    public static PoolStatus status(String domain, String database, int size, PoolStatus.RaisedAlarm... alarms) {
        return status(domain, database, size, PoolStatus.State.OPEN, alarms);
    }

    public static PoolStatus status(
            String domain, String database, int size, PoolStatus.State state, PoolStatus.RaisedAlarm... alarms) {
        Limits limits = Limits.unbounded().withFloor(2).withCeiling(7).because("7 is enough.");
        Answer answer = new Answer("min-max", limits);
        return new PoolStatus(
                domain,
                database,
                3,
                state,
                Tier.SILVER,
                size,
                3,
                2,
                0,
                0,
                0,
                2,
                7,
                7,
                0,
                0,
                40,
                Optional.empty(),
                limits,
                Optional.of(answer),
                new PoolStatus.Limit(PoolStatus.Limit.By.CEILING, Optional.of(answer), false),
                List.of(answer),
                List.of(alarms),
                LatencySummary.none(),
                LatencySummary.none(),
                0,
                0,
                0,
                new PoolStatus.Traffic(0, 0, 0),
                new PoolStatus.Totals(10, 10, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    /** The {@code number}th second from noon. */
    public static Second second(int number) {
        return new Second(NOON.plusSeconds(number + 1), 2, 5, 0, 2, 7, 1.0, 2.0, 3.0, 1.5, 0.1, 20.0, 0.0, 0.0, 8.0);
    }

    /** A condition that a test made up. */
    public static Words words(String label) {
        return Words.been(label, "somebody", "alarmed", "a test did it");
    }

    public static PoolStatus.RaisedAlarm alarm(String code) {
        return new PoolStatus.RaisedAlarm(
                code, words(code), NOON, PoolStatus.Severity.WARNING, PoolStatus.Reach.DOMAIN, 1, Optional.empty());
    }

    public static List<ConnectionStatus> connections(String domain, int number) {
        List<ConnectionStatus> all = new ArrayList<>();
        for (int n = 0; n < number; n++) {
            all.add(new ConnectionStatus(
                    domain + "-" + n,
                    ConnectionStatus.State.ACTIVE,
                    5_000_000_000L,
                    100,
                    1,
                    2_000,
                    3_000,
                    LatencySummary.of(latency(1_000_000), 0),
                    LatencySummary.none(),
                    4_711,
                    n % 2 == 0
                            ? Optional.of(new ConnectionStatus.LeaseStatus("a test", 1_000_000_000L))
                            : Optional.empty()));
        }
        return all;
    }

    /** @param number of the decision; its time is so many milliseconds after noon */
    public static Decision decision(int number, String domain, Decision.Kind kind, long count) {
        Instant time = NOON.plusMillis(number);
        return new Decision(
                "test-" + number,
                time,
                time.plusSeconds(count - 1),
                count,
                "test",
                "main",
                domain,
                3,
                kind,
                "latency-cap",
                domain + " stays at 7.",
                new Decision.Inputs(7, 7, 0, 12, 31_000_000, 18.9e6, 41_000_000, OptionalDouble.of(19.6e6)),
                new Decision.Bounds(2, 7, 7),
                new Decision.Bounds(2, 7, 7),
                List.of(new Answer(
                        "latency-cap",
                        Limits.unbounded().withCeiling(7),
                        OptionalDouble.of(21.5e6),
                        OptionalDouble.of(19.6e6))),
                Limits.unbounded().withFloor(2).withCeiling(7));
    }
}
