package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsTest {

    private final HandClock clock = new HandClock();

    @TempDir
    Path data;

    private Sessions sessions;

    @BeforeEach
    void make() {
        sessions = sessions("a token of the administrator");
    }

    private Sessions sessions(String token) {
        return sessions(token, "a token of readers");
    }

    private Sessions sessions(String token, String readerToken) {
        return new Sessions(Duration.ofHours(1), clock, token, readerToken, data.resolve("ended-sessions"));
    }

    @Test
    void staysClosedAfterARestart() {
        String id = sessions.open(Actor.ADMIN);
        String other = sessions.open(Actor.ADMIN);
        sessions.close(id);
        Sessions restarted = sessions("a token of the administrator");
        assertThat(restarted.isOpen(id)).isFalse();
        assertThat(restarted.isOpen(other)).isTrue();
    }

    @Test
    void endsAfterItsLifetime() {
        String id = sessions.open(Actor.ADMIN);
        clock.advance(Duration.ofMinutes(59));
        assertThat(sessions.isOpen(id)).isTrue();
        clock.advance(Duration.ofMinutes(2));
        assertThat(sessions.isOpen(id)).isFalse();
    }

    @Test
    void endsWhenItIsClosedAndNoOtherWithIt() {
        String one = sessions.open(Actor.ADMIN);
        String other = sessions.open(Actor.ADMIN);
        sessions.close(one);
        assertThat(sessions.isOpen(one)).isFalse();
        assertThat(sessions.isOpen(other)).isTrue();
    }

    @Test
    void outlivesARestartButNotAnotherToken() {
        String id = sessions.open(Actor.ADMIN);
        assertThat(sessions("a token of the administrator").isOpen(id)).isTrue();
        assertThat(sessions("another token").isOpen(id)).isFalse();
    }

    @Test
    void cannotBeMadeUpOrProlonged() {
        String id = sessions.open(Actor.ADMIN);
        String[] parts = id.split("\\.");
        assertThat(sessions.isOpen("")).isFalse();
        assertThat(sessions.isOpen("no session")).isFalse();
        assertThat(sessions.isOpen(parts[0] + "." + parts[1] + ".")).isFalse();
        assertThat(sessions.isOpen((Long.parseLong(parts[0]) + 3600) + "." + parts[1] + "." + parts[2]))
                .isFalse();
    }

    @Test
    void aReadersSessionStaysOneAndEndsWithTheReadersToken() {
        String id = sessions.open(Actor.READER);
        assertThat(sessions.isOpen(id)).isTrue();
        assertThat(sessions.actor(id)).isEqualTo(Actor.READER);
        assertThat(sessions.actor(sessions.open(Actor.ADMIN))).isEqualTo(Actor.ADMIN);
        assertThat(sessions.isOpen(id.replace(".reader.", "."))).isFalse();
        assertThat(sessions("a token of the administrator", "another token").isOpen(id))
                .isFalse();
    }
}
