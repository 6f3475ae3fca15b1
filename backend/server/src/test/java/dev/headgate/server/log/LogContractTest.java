package dev.headgate.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

class LogContractTest {

    private static final Logger log = LoggerFactory.getLogger("dev.headgate.test.Logged");

    private static Service service;

    /** A service of its own: each start of another one in this process sets the logging up anew, which detaches its ring. */
    @BeforeAll
    static void start(@TempDir Path data) throws IOException {
        service = Service.start(data);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static List<String> messages(String query) {
        JsonNode items = service.get("/log?" + query).expect(200).json().get("items");
        return items.valueStream().map(line -> line.get("message").asString()).toList();
    }

    @Test
    void linesAreFoundByDomainLevelAndText() {
        log.atInfo().addKeyValue("domain", "logged-a").log("needle one");
        log.warn("needle two of {}", "domains/logged-b");
        log.error(
                "{} {} failed", "GET", "/api/v1/domains/logged-c/pool?x=1", new IllegalStateException("needle three"));
        log.debug("needle of nobody"); // below the level of the logger

        assertThat(messages("domain=logged-a")).containsExactly("needle one");
        assertThat(messages("domain=logged-b")).containsExactly("needle two of domains/logged-b");
        assertThat(messages("domain=logged-c&q=NEEDLE%20three")).hasSize(1);
        assertThat(messages("q=needle&level=warn").getFirst()).startsWith("GET /api/v1");
        assertThat(messages("q=needle&level=warn")).hasSize(2);
        JsonNode first = service.get("/log?q=needle&limit=1").expect(200).json();
        JsonNode line = first.get("items").get(0);
        assertThat(line.get("level").asString()).isEqualTo("error");
        assertThat(line.get("logger").asString()).isEqualTo("Logged");
        assertThat(line.get("trace").asString()).contains("IllegalStateException: needle three");
        assertThat(messages("q=needle&limit=1&cursor=" + first.get("nextCursor").asString()))
                .containsExactly("needle two of domains/logged-b");
        service.get("/log?level=loud").expect(400);
    }

    @Test
    void theRingDropsItsOldestLinesWhenItHasNoRoom() {
        MemoryAccount account = new MemoryAccount(10_000, List.of(new MemoryAccount.Portion("log", 0, 1, 1, 1)));
        LogRing ring = new LogRing(account.share("log", "log"));
        ch.qos.logback.classic.Logger logger =
                (ch.qos.logback.classic.Logger) LoggerFactory.getLogger("dev.headgate.test.Full");
        ring.setContext(logger.getLoggerContext());
        ring.start();
        logger.addAppender(ring);
        logger.setAdditive(false);
        try {
            for (int i = 0; i < 100; i++) {
                logger.warn("line {} {}", i, "x".repeat(i == 99 ? 9_000 : 100));
            }
            List<LogLine> kept = ring.list(new LogFilter(null, null, null), Long.MAX_VALUE, 500);
            assertThat(kept.getFirst().message()).startsWith("line 99").hasSizeLessThan(4_100);
            assertThat(kept.size()).isBetween(1, 20);
            assertThat(account.reserved()).isBetween(1L, 10_000L);
        } finally {
            logger.detachAppender(ring);
            ring.stop();
        }
        assertThat(account.reserved()).isZero();
    }
}
