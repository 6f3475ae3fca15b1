package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LoginCodesTest {

    private final HandClock clock = new HandClock();
    private final LoginCodes codes = new LoginCodes(clock);

    @Test
    void aCodeIsSpentOnce() {
        String code = codes.issue().code();
        String other = codes.issue().code();

        assertThat(codes.spend("another")).isFalse();
        assertThat(codes.spend(code)).isTrue();
        assertThat(codes.spend(code)).isFalse();
        assertThat(codes.spend(other)).isTrue();
    }

    @Test
    void anHourLaterItIsNotValid() {
        String code = codes.issue().code();
        clock.advance(LoginCodes.LIFETIME.minus(Duration.ofSeconds(1)));
        String later = codes.issue().code();
        clock.advance(Duration.ofSeconds(1));

        assertThat(codes.spend(code)).isFalse();
        assertThat(codes.spend(later)).isTrue();
    }

    @Test
    void theOldestOfAHundredIsForgotten() {
        String first = codes.issue().code();
        String second = codes.issue().code();
        for (int i = 0; i < 99; i++) {
            codes.issue();
        }
        assertThat(codes.spend(first)).isFalse();
        assertThat(codes.spend(second)).isTrue();
    }
}
