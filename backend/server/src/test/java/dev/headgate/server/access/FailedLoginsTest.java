package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {

    private final List<Object> told = new ArrayList<>();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Instant now = Instant.parse("2026-11-26T03:00:00Z");
    private final InstantSource clock = () -> now;
    private final FailedLogins failures = new FailedLogins(told::add, meters, clock.withZone(ZoneOffset.UTC));

    /** Each that is told stays in the audit, and a stranger has more addresses than the disk has room. */
    @Test
    void whatStrangersWriteIsBounded() {
        for (int minute = 0; minute < 3; minute++) {
            for (int i = 0; i < 20_000; i++) {
                failures.failed("2001:db8:0:" + Integer.toHexString(i) + "::1", "token");
            }
            assertThat(told).hasSize((minute + 1) * FailedLogins.MOST_TOLD);
            now = now.plus(Duration.ofMinutes(1));
        }
        assertThat(meters.counter("headgate.access.failures", "shown", "token").count())
                .isEqualTo(60_000);
    }

    /** Whoever has one address of such a network has all of them. */
    @Test
    void aNetworkOfVersion6IsOneAddress() {
        for (int i = 0; i < FailedLogins.MOST_IN_A_WINDOW; i++) {
            assertThat(failures.failed("2001:db8::" + i, "wire", "bank", "app")).isEmpty();
        }
        assertThat(failures.failed("2001:db8::a:b:c:d", "wire", "bank", "app")).isPresent();
        assertThat(failures.isSlowed("2001:db8::99")).isTrue();
        assertThat(failures.isSlowed("2001:db8:0:1::99")).isFalse();
        assertThat(told).containsExactly(new LoginFailed(now, "2001:db8::0", "wire", "bank/app"));
    }

    /** A scraper with an old token, on the machine of an application. */
    @Test
    void onlyWrongPasswordsSlowPasswordsDown() {
        for (int i = 0; i < 2 * FailedLogins.MOST_IN_A_WINDOW; i++) {
            failures.failed("10.0.0.1", "token");
        }
        assertThat(failures.isSlowed("10.0.0.1")).isFalse();
        for (int i = 0; i < FailedLogins.MOST_IN_A_WINDOW; i++) {
            assertThat(failures.isSlowed("10.0.0.1")).isFalse();
            failures.failed("10.0.0.1", i % 2 == 0 ? "password" : "wire", "bank", "app");
        }
        assertThat(failures.isSlowed("10.0.0.1")).isTrue();
        assertThat(failures.isSlowed("10.0.0.2")).isFalse();
        assertThat(told).hasSize(2).last().isEqualTo(new LoginFailed(now, "10.0.0.1", "password", "bank/app"));
        now = now.plus(Duration.ofMinutes(1));
        assertThat(failures.isSlowed("10.0.0.1")).isFalse();
    }

    @Test
    void namesThatStrangersMakeUpAreCut() {
        failures.failed("10.0.0.1", "wire", "bank", "x".repeat(10_000));
        assertThat(told).containsExactly(new LoginFailed(now, "10.0.0.1", "wire", "bank/" + "x".repeat(63)));
    }

    @Test
    void anAddressIsToldOnceAMinuteAndThenSlowed() {
        for (int i = 0; i < FailedLogins.MOST_IN_A_WINDOW; i++) {
            assertThat(failures.failed("10.0.0.1", "password")).isEmpty();
        }
        assertThat(failures.failed("10.0.0.1", "password")).isPresent();
        assertThat(told).hasSize(1);
        now = now.plus(Duration.ofMinutes(1));
        assertThat(failures.failed("10.0.0.1", "password")).isEmpty();
        assertThat(told).hasSize(2);
    }
}
