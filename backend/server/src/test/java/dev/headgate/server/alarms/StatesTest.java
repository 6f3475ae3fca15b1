package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.Words;
import dev.headgate.server.api.AlarmJson;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.HealthJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * States of a pool and of a database as GET /domains, GET /databases and the alarm log show them, in a table. They are kept in states.json, which the dashboard's tests
 * read: so its pages are shown to say the same. Written anew like the OpenAPI document.
 */
class StatesTest {

    private static final Path COMMITTED = Path.of("src/test/resources/states.json");
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private static final Instant SEEN = Samples.NOON.plusSeconds(40);
    private static final Words CAP =
            Words.been("at cap", "bank", "held at its latency cap", "it may hold 7 connections");
    private static final Words PAUSED = Words.been("paused", "bank", "paused", "");
    private static final Words AWAY = Words.been("unreachable", "main", "unreachable", "connection refused");

    private record Row(String of, String state, HealthJson health, List<AlarmJson> alarms, List<Logged> logged) {}

    /** Of an alarm of the log, what shows its state. */
    private record Logged(
            String code,
            String message,
            String severity,
            Instant since,
            Instant lastSeen,
            @Nullable Instant clearing,
            @Nullable Instant cleared,
            int times) {

        static Logged of(RaisedAlarm alarm) {
            AlarmKey key = AlarmKey.of("main", "bank", alarm);
            Observed seen =
                    Observed.first(UUID.randomUUID(), key, Standing.onDomain("bank", alarm), SEEN.plusSeconds(12));
            return new Logged(
                    key.code(),
                    seen.message(),
                    seen.severity().name().toLowerCase(Locale.ROOT),
                    seen.since(),
                    seen.lastSeen(),
                    seen.clearing(),
                    seen.cleared(),
                    seen.times());
        }
    }

    private static RaisedAlarm cap(int times, boolean clearing) {
        Optional<Instant> last = clearing ? Optional.of(SEEN) : Optional.empty();
        return new RaisedAlarm("at-ceiling", CAP, Samples.NOON, Severity.WARNING, Reach.DOMAIN, times, last);
    }

    private static RaisedAlarm holding(String code, Words words, Severity severity, Reach reach) {
        return new RaisedAlarm(code, words, Samples.NOON, severity, reach, 1, Optional.empty());
    }

    private static Row row(String state, RaisedAlarm... alarms) {
        PoolJson pool = PoolJson.of(Samples.status("bank", "main", 5, alarms));
        return new Row(
                "domain",
                state,
                pool.health(),
                pool.alarms(),
                List.of(alarms).stream().map(Logged::of).toList());
    }

    private static Row ofDatabase(String state, RaisedAlarm... alarms) {
        FakeDatabase main = new FakeDatabase("main", 40);
        main.show(alarms);
        DatabaseSummaryJson shown = DatabaseSummaryJson.of(main.status());
        return new Row(
                "database",
                state,
                shown.health(),
                shown.alarms(),
                List.of(alarms).stream().map(Logged::of).toList());
    }

    private static List<Row> rows() {
        RaisedAlarm paused = holding("paused", PAUSED, Severity.NOTICE, Reach.DOMAIN);
        RaisedAlarm away = holding("unreachable", AWAY, Severity.CRITICAL, Reach.DATABASE);
        RaisedAlarm unused = holding("unreachable", AWAY, Severity.WARNING, Reach.DATABASE);
        RaisedAlarm back = new RaisedAlarm(
                "unreachable", AWAY, Samples.NOON, Severity.CRITICAL, Reach.DATABASE, 1, Optional.of(SEEN));
        return List.of(
                row("without an alarm"),
                row("holds", cap(1, false)),
                row("is over", cap(1, true)),
                row("came again and holds", cap(9, false)),
                row("comes and goes", cap(9, true)),
                row("stopped by somebody", paused),
                row("critical", away),
                row("one holds and one is over", cap(1, true), paused),
                row("one holds and one comes and goes", cap(9, true), away),
                ofDatabase("without an alarm"),
                ofDatabase("away", away),
                ofDatabase("away, and no domain uses it", unused),
                ofDatabase("back", back));
    }

    @Test
    void theStateIsThatOfOneOfItsAlarmsWhereverItIsShown() {
        for (Row row : rows()) {
            HealthJson health = row.health;
            List<List<String>> said = new ArrayList<>();
            row.alarms.forEach(alarm -> {
                if (alarm.code().equals(health.code())) {
                    said.add(List.of(alarm.label(), alarm.message(), alarm.severity()));
                    assertThat(alarm.until()).as(row.state).isEqualTo(health.until());
                    assertThat(alarm.since()).as(row.state).isEqualTo(health.since());
                }
            });
            row.logged.forEach(alarm -> {
                if (alarm.code().equals(health.code())) {
                    said.add(List.of(health.label(), alarm.message(), alarm.severity()));
                }
            });
            assertThat(said)
                    .as(row.state)
                    .hasSize(row.alarms.isEmpty() ? 0 : 2)
                    .allMatch(each -> each.equals(List.of(health.label(), health.sentence(), health.severity())));
        }
    }

    @Test
    void theDashboardsTestsReadTheseStates() throws IOException {
        String text = JSON.writeValueAsString(rows()) + "\n";
        if (Boolean.getBoolean("openapi.update")) {
            Files.writeString(COMMITTED, text);
        }
        assertThat(Files.readString(COMMITTED))
                .as("states.json is stale: run this test with -Dopenapi.update=true")
                .isEqualTo(text);
    }
}
