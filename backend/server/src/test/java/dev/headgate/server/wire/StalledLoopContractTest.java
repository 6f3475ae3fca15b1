package dev.headgate.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.headgate.server.Service;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** What a running service tells of a loop that waits for a lock, in real time. */
class StalledLoopContractTest {

    private static final Pattern STALLED =
            Pattern.compile("^headgate_wire_loop_stalled_seconds\\{loop=\"wire-loop-0\"} (\\S+)$", Pattern.MULTILINE);

    @Test
    void aLoopThatWaitsForALockIsAnAlarmAMetricAndAThreadDumpInTheLog(@TempDir Path data) throws IOException {
        Object lock = new Object();
        try (Service service = Service.start(data, "--headgate.wire.loops=2")) {
            ListAppender<ILoggingEvent> log = new ListAppender<>(); // the ring behind the API cuts long lines
            log.start();
            ((Logger) LoggerFactory.getLogger(LoopLog.class)).addAppender(log);
            Loop loop = service.bean(RelayLoops.class).next().loop();
            assertThat(loop.name()).isEqualTo("wire-loop-0");
            synchronized (lock) {
                loop.execute(() -> enter(lock));
                await().atMost(Service.PATIENCE)
                        .until(() -> !alarms(service, "open").isEmpty());
                JsonNode alarm = alarms(service, "open").get(0);
                assertThat(alarm.get("message").asString()).isEqualTo("The wire port has been stalled");
                assertThat(alarm.get("detail").asString())
                        .matches("its clients get no answer: 1 of its 2 loops has not turned for \\d+ s");
                assertThat(alarm.get("severity").asString()).isEqualTo("critical");
                await().atMost(Service.PATIENCE).until(() -> stalledSeconds(service) > 1);
                await().atMost(Service.PATIENCE)
                        .until(() -> logged(service, "wire-loop-0 of the wire port has not turned since"));
                assertThat(log.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .anySatisfy(dump -> assertThat(dump)
                                .containsPattern("\"wire-loop-0\" BLOCKED on java.lang.Object@\\w+ of \"" + thisThread()
                                        + "\"\n *at .*StalledLoopContractTest.enter"));
            }
            await().atMost(Service.PATIENCE).until(() -> alarms(service, "open").isEmpty());
            assertThat(alarms(service, "past")).isNotEmpty();
            await().atMost(Service.PATIENCE).until(() -> stalledSeconds(service) == 0);
            await().atMost(Service.PATIENCE)
                    .until(() -> logged(service, "wire-loop-0 of the wire port turns again, after"));
        }
    }

    private static void enter(Object lock) {
        synchronized (lock) {
            assertThat(Thread.holdsLock(lock)).isTrue();
        }
    }

    private static String thisThread() {
        return Pattern.quote(Thread.currentThread().getName());
    }

    private static JsonNode alarms(Service service, String state) {
        return service.get("/alarms?code=wire-stalled&state=" + state)
                .expect(200)
                .json()
                .get("items");
    }

    private static double stalledSeconds(Service service) {
        String metrics =
                service.send("GET", "/actuator/prometheus", null).expect(200).text();
        return STALLED.matcher(metrics)
                .results()
                .map(MatchResult::group)
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .findFirst()
                .orElse(0);
    }

    private static boolean logged(Service service, String begin) {
        return service.get("/log?level=warn")
                .expect(200)
                .json()
                .get("items")
                .valueStream()
                .anyMatch(line -> line.get("message").asString().startsWith(begin));
    }
}
