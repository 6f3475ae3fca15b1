package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class SessionsTest {

    private final MovingClock clock = new MovingClock();
    private final Sessions sessions = new Sessions(Duration.ofHours(1), clock);

    @Test
    void aSessionLastsAsLongAsItIsUsed() {
        String id = sessions.open();
        for (int i = 0; i < 5; i++) {
            clock.now = clock.now.plus(Duration.ofMinutes(50));
            assertThat(sessions.isOpen(id)).isTrue();
        }
        clock.now = clock.now.plus(Duration.ofMinutes(61));
        assertThat(sessions.isOpen(id)).isFalse();
    }

    @Test
    void aClosedSessionIsClosedAndAnUnknownOneNeverWasOpen() {
        String id = sessions.open();
        sessions.close(id);
        assertThat(sessions.isOpen(id)).isFalse();
        assertThat(sessions.isOpen("made-up")).isFalse();
    }

    @Test
    void theOldestGivesWayWhenThereAreTooMany() {
        String first = sessions.open();
        for (int i = 0; i < 1_000; i++) {
            clock.now = clock.now.plusMillis(1);
            sessions.open();
        }
        assertThat(sessions.isOpen(first)).isFalse();
    }

    private static final class MovingClock extends Clock {
        private Instant now = Instant.parse("2026-11-21T00:00:00Z");

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }
}
