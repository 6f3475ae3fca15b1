package dev.headgate.bench.worlds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.bench.worlds.RetryStorm.Guard;
import dev.headgate.bench.worlds.RetryStorm.Outcome;
import dev.headgate.bench.worlds.RetryStorm.Storm;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which sets bring a pool back after a retry storm; {@code ./headgate bench worlds --rows storm} runs more seeds. */
class RetryStormTest {

    private static final int SEEDS = 2;

    @Test
    void aFixedPoolWithALongQueueStaysDown() {
        assertThat(outcomes(Guard.FIXED_LONG_QUEUE))
                .allSatisfy(outcome -> assertThat(outcome.recovered()).isLessThan(0.5));
    }

    @Test
    void theCapWithALongQueueStaysDownToo() {
        assertThat(outcomes(Guard.CAP_LONG_QUEUE))
                .allSatisfy(outcome -> assertThat(outcome.recovered()).isLessThan(0.5));
    }

    @Test
    void theCapWithAQueueShorterThanPatienceIsBackWithinTenSeconds() {
        assertThat(outcomes(Guard.CAP_SHORT_QUEUE)).allMatch(Outcome::isBack);
    }

    private static List<Outcome> outcomes(Guard guard) {
        return LongStream.range(0, SEEDS)
                .mapToObj(seed -> RetryStorm.run(Storm.of(seed), guard))
                .toList();
    }
}
