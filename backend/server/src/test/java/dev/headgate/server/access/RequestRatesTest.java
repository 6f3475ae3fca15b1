package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.bucket4j.TimeMeter;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RequestRatesTest {

    private long now;

    private final RequestRates rates = new RequestRates(5, new TimeMeter() {
        @Override
        public long currentTimeNanos() {
            return now;
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    });

    @Test
    void twoSecondsWorthAtOnceAndThenTheRate() {
        for (int left = 9; left >= 0; left--) {
            RequestRates.Verdict verdict = rates.ask("token");
            assertThat(verdict.allowed()).isTrue();
            assertThat(verdict.remaining()).isEqualTo(left);
        }
        RequestRates.Verdict refused = rates.ask("token");
        assertThat(refused.allowed()).isFalse();
        assertThat(refused.untilNext()).isEqualTo(Duration.ofMillis(200));
        assertThat(refused.untilFull()).isEqualTo(Duration.ofSeconds(2));

        now += Duration.ofMillis(200).toNanos();
        assertThat(rates.ask("token").allowed()).isTrue();
        assertThat(rates.ask("token").allowed()).isFalse();
    }

    @Test
    void everyCallerHasItsOwn() {
        for (int i = 0; i < 11; i++) {
            rates.ask("token");
        }
        assertThat(rates.ask("session a").remaining()).isEqualTo(9);
    }
}
