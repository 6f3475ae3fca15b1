package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpanTest {

    private static final long NOW = 1_800_000_000L;
    private static final long DAY = 86_400;

    private static final Map<Resolution, Long> SINCE = Map.of(
            Resolution.SECONDS, NOW - DAY,
            Resolution.TENS, NOW - 7 * DAY,
            Resolution.MINUTES, NOW - 30 * DAY,
            Resolution.TEN_MINUTES, NOW - 30 * DAY);

    @ParameterizedTest
    @CsvSource({
        "300,     1,    SECONDS",
        "1200,    1,    SECONDS",
        "3600,    5,    SECONDS",
        "12000,   10,   TENS",
        "86400,   120,  MINUTES",
        "604800,  600,  TEN_MINUTES",
        "2592000, 3600, TEN_MINUTES",
    })
    void withoutAStepThereAreAtMost1200Rows(long length, int step, Resolution resolution) {
        Span span = Span.of(NOW - length, NOW, null, SINCE);

        assertThat(span).isEqualTo(new Span(NOW - length, NOW, step, resolution));
        assertThat(span.rows()).isLessThanOrEqualTo(Span.MOST_ROWS + 1);
    }

    @Test
    void aStepFinerThanWhatIsKeptIsRaised() {
        assertThat(Span.of(NOW - 2 * DAY, NOW - 2 * DAY + 600, 1, SINCE).step()).isEqualTo(10);
        assertThat(Span.of(NOW - 2 * DAY, NOW - 2 * DAY + 600, 15, SINCE).step())
                .isEqualTo(20);
        assertThat(Span.of(NOW - 20 * DAY, NOW - 20 * DAY + 600, 15, SINCE).step())
                .isEqualTo(60);
        assertThat(Span.of(NOW - 600, NOW, 15, SINCE)).isEqualTo(new Span(NOW - 600, NOW, 15, Resolution.SECONDS));
    }

    @Test
    void aStepThatNeedsTooManyPeriodsBecomesAMultipleOfACoarserResolution() {
        assertThat(Span.of(NOW - DAY + 1, NOW, 59, SINCE))
                .isEqualTo(new Span(NOW - DAY + 1, NOW, 60, Resolution.MINUTES));
        assertThat(Span.of(NOW - 20 * DAY, NOW, 900, SINCE).step()).isEqualTo(1_200);
        assertThat(Span.of(NOW - 8 * DAY, NOW, 900, SINCE).step()).isEqualTo(900);
    }

    @Test
    void aRangeBeginsWhereTheHistoryDoes() {
        assertThat(Span.of(0, NOW, null, SINCE).from()).isEqualTo(NOW - 30 * DAY);
        Span before = Span.of(0, NOW - 40 * DAY, null, SINCE);
        assertThat(before.from()).isEqualTo(before.to());
    }

    /** Any answer is read from a bounded number of periods of a resolution that is kept, and its step is no shorter than asked. */
    @Test
    void everySpanIsBounded() {
        Random random = new Random(5);
        for (int n = 0; n < 20_000; n++) {
            long from = NOW - random.nextLong(31 * DAY);
            long to = from + 1 + random.nextLong(NOW + 100 - from);
            Integer step = random.nextInt(3) == 0 ? null : 1 + random.nextInt(random.nextInt(10) == 0 ? 86_400 : 100);
            Span span = Span.of(from, to, step, SINCE);

            assertThat(span.periods()).isLessThanOrEqualTo(Span.MOST_READ + 1);
            assertThat(span.step() % span.resolution().seconds()).isZero();
            assertThat(span.step()).isGreaterThanOrEqualTo(step == null ? 1 : step);
            if (span.from() < span.to()) {
                assertThat(SINCE.get(span.resolution())).isLessThanOrEqualTo(span.from());
            }
        }
    }
}
