package dev.headgate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

    /** Whoever ends sessions without pause has the disk write a line for each, and not all of them again. */
    @Test
    void aClosedSessionIsALineMore() throws IOException {
        Path file = data.resolve("ended-sessions");
        sessions.close(sessions.open(Actor.ADMIN));
        Object before = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        sessions.close(sessions.open(Actor.READER));
        assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey())
                .isEqualTo(before);
        assertThat(Files.readAllLines(file)).hasSize(2);
    }

    @Test
    void oneTokenHasSoManyClosedAndNoneOfThemComesBack() throws IOException {
        String admins = sessions.open(Actor.ADMIN);
        List<String> closed = new ArrayList<>();
        for (int i = 0; i < Sessions.MOST_CLOSED + 2; i++) {
            String id = sessions.open(Actor.READER);
            sessions.close(id);
            closed.add(id);
            if (i % 1_000 == 0) {
                clock.advance(Duration.ofSeconds(1));
            }
        }
        assertThat(Files.readAllLines(data.resolve("ended-sessions"))).hasSizeLessThan(Sessions.MOST_CLOSED);
        for (Sessions each : List.of(sessions, sessions("a token of the administrator"))) {
            assertThat(closed).noneMatch(each::isOpen);
            assertThat(each.isOpen(admins)).isTrue();
            assertThat(each.isOpen(each.open(Actor.READER))).isTrue();
        }
    }

    /** Else a lifetime that was made shorter opens none until those of before would have ended. */
    @Test
    void whatIsOpenedAfterwardsIsOpen() {
        for (int i = 0; i < Sessions.MOST_CLOSED + 2; i++) {
            sessions.close(sessions.open(Actor.ADMIN));
        }
        Sessions brief = new Sessions(
                Duration.ofMinutes(1),
                clock,
                "a token of the administrator",
                "a token of readers",
                data.resolve("ended-sessions"));
        assertThat(brief.isOpen(brief.open(Actor.ADMIN))).isTrue();
    }

    @Test
    void aFileThatDoesNotTellTheTokenIsRead() throws IOException {
        String id = sessions.open(Actor.READER);
        String[] parts = id.split("\\.");
        Files.writeString(data.resolve("ended-sessions"), parts[0] + " " + parts[3] + "\n");
        assertThat(sessions("a token of the administrator").isOpen(id)).isFalse();
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
