package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.server.Service;
import dev.headgate.server.feed.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Alarms of a real pool: a domain that somebody drains or pauses, and resumes. */
class AlarmContractTest {

    private static final String DOMAIN = "alarmed";

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @BeforeEach
    void aDomain() {
        service.domain(DOMAIN, "[]");
    }

    /** An alarm that still stood would go on in the next test, with what was said of it. */
    @AfterEach
    void remove() {
        service.delete("/domains/" + DOMAIN).expect(204);
        await().atMost(Service.PATIENCE).until(() -> items("open").isEmpty());
    }

    private JsonNode drain() {
        service.post("/domains/" + DOMAIN + "/drain", "").expect(200);
        await().atMost(Service.PATIENCE).until(() -> items("open").size() == 1);
        return items("open").get(0);
    }

    private void resume() {
        service.post("/domains/" + DOMAIN + "/resume", "").expect(200);
        await().atMost(Service.PATIENCE).until(() -> items("open").isEmpty());
    }

    private static JsonNode items(String state) {
        return service.get("/alarms?state=" + state + "&code=draining&domain=" + DOMAIN)
                .expect(200)
                .json()
                .get("items");
    }

    /** Whether an open alarm counts as unattended. Alarms of other tests may end meanwhile. */
    private static boolean counts(String id) {
        AtomicBoolean counts = new AtomicBoolean();
        await().atMost(Service.PATIENCE).untilAsserted(() -> {
            JsonNode page =
                    service.get("/alarms?state=open&limit=500").expect(200).json();
            List<String> unattended = new ArrayList<>();
            for (JsonNode alarm : page.get("items")) {
                if (!alarm.get("severity").asString().equals("notice")
                        && alarm.get("acknowledged").isNull()
                        && alarm.get("silenced").isNull()) {
                    unattended.add(alarm.get("id").asString());
                }
            }
            assertThat(page.get("unattended").asInt()).isEqualTo(unattended.size());
            counts.set(unattended.contains(id));
        });
        return counts.get();
    }

    private static Service.Answer acknowledge(String id, String body) {
        return service.post("/alarms/" + id + "/acknowledge", body);
    }

    private static Service.Answer silence(String id, String body) {
        return service.post("/alarms/" + id + "/silence", body);
    }

    @Test
    void anAlarmIsAcknowledgedOnceAndBelongsToThePastAfterItsEnd() {
        JsonNode alarm = drain();
        String id = alarm.get("id").asString();
        assertThat(alarm.get("message").asString()).isEqualTo("alarmed has been draining and refusing requests");
        assertThat(alarm.get("reach").asString()).isEqualTo("domain");
        assertThat(alarm.get("database").asString()).isEqualTo("main");
        assertThat(alarm.get("times").asInt()).isEqualTo(1);
        assertThat(alarm.get("cleared").isNull()).isTrue();
        assertThat(counts(id)).isTrue();

        JsonNode seen =
                acknowledge(id, "{\"reason\": \"it is me\"}").expect(200).json();
        assertThat(seen.at("/acknowledged/actor").asString()).isEqualTo("admin");
        assertThat(seen.at("/acknowledged/reason").asString()).isEqualTo("it is me");
        assertThat(counts(id)).isFalse();
        for (String again : List.of("{\"reason\": \"again\"}", "{}")) {
            assertThat(acknowledge(id, again).expect(200).json().get("acknowledged"))
                    .isEqualTo(seen.get("acknowledged"));
        }
        assertThat(entries(id)).containsExactly("alarms.acknowledge");

        resume();
        JsonNode past = items("past").get(0);
        assertThat(past.get("id").asString()).isEqualTo(id);
        assertThat(past.get("cleared").isNull()).isFalse();
        assertThat(past.get("acknowledged")).isEqualTo(seen.get("acknowledged"));
        acknowledge(id, "{}").expect(200); // a repetition still changes nothing
        assertThat(silence(id, "{\"reason\": \"late\", \"forMinutes\": 5}")
                        .expect(409)
                        .problem())
                .isEqualTo("conflict");
    }

    @Test
    void aSilencedAlarmIsListedAndDoesNotCount() {
        String id = drain().get("id").asString();
        JsonNode silent = silence(id, "{\"reason\": \" a drill \", \"forMinutes\": 30}")
                .expect(200)
                .json();
        assertThat(silent.at("/silenced/reason").asString()).isEqualTo("a drill");
        assertThat(counts(id)).isFalse();
        assertThat(items("open")).hasSize(1);

        silence(id, "{\"reason\": \"a longer drill\", \"forMinutes\": 60}").expect(200);
        assertThat(items("open").get(0).at("/silenced/until").asString())
                .isGreaterThan(silent.at("/silenced/until").asString());

        service.delete("/alarms/" + id + "/silence").expect(204);
        service.delete("/alarms/" + id + "/silence").expect(204);
        assertThat(items("open").get(0).get("silenced").isNull()).isTrue();
        assertThat(counts(id)).isTrue();
        assertThat(entries(id)).containsExactly("alarms.unsilence", "alarms.silence", "alarms.silence");

        silence(id, "{\"reason\": \"a drill\", \"forMinutes\": 30}").expect(200);
        resume();
        JsonNode again = drain();
        assertThat(again.get("id").asString()).isNotEqualTo(id);
        assertThat(again.at("/silenced/reason").asString()).isEqualTo("a drill");
        service.delete("/alarms/" + again.get("id").asString() + "/silence").expect(204);
        resume();
    }

    @Test
    void aPauseThatNobodySuffersFromIsANoticeEverywhereAndDoesNotCount() {
        service.post("/domains/" + DOMAIN + "/pause", "").expect(200);
        String paused = "/alarms?state=open&code=paused&domain=" + DOMAIN;
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(paused).json().get("items").size() == 1);
        JsonNode logged = service.get(paused).json().at("/items/0");
        JsonNode pool = service.get("/domains/" + DOMAIN).json().get("pool");
        String sentence = "alarmed has been paused";
        assertThat(List.of(
                        logged.get("message").asString(),
                        pool.at("/alarms/0/message").asString(),
                        pool.at("/health/sentence").asString()))
                .containsOnly(sentence);
        assertThat(List.of(
                        logged.get("severity").asString(),
                        pool.at("/alarms/0/severity").asString(),
                        pool.at("/health/severity").asString()))
                .containsOnly("notice");
        assertThat(counts(logged.get("id").asString())).isFalse();
        service.post("/domains/" + DOMAIN + "/resume", "").expect(200);
    }

    private static List<String> entries(String id) {
        List<String> actions = new ArrayList<>();
        service.get("/audit?target=alarms/" + id)
                .expect(200)
                .json()
                .get("items")
                .forEach(entry -> actions.add(entry.get("action").asString()));
        return actions;
    }

    @Test
    void badRequestsAreRefusedWithWhatIsAllowed() {
        String id = drain().get("id").asString();
        Service.Answer silent = silence(id, "{}").expect(422);
        assertThat(silent.json().get("errors").toString()).contains("/reason", "/forMinutes");
        silence(id, "{\"reason\": \" \", \"forMinutes\": 5}").expect(422);
        silence(id, "{\"reason\": \"x\", \"forMinutes\": 0}").expect(422);
        silence(id, "{\"reason\": \"x\", \"forMinutes\": 43201}").expect(422);
        assertThat(silence(id, "{\"reason\": \"x\", \"forMinutes\": 5, \"until\": 1}")
                        .expect(400)
                        .text())
                .contains("/until");
        acknowledge(id, "{\"reason\": \"" + "x".repeat(501) + "\"}").expect(422);
        assertThat(acknowledge("nope", "{}").expect(404).problem()).isEqualTo("not-found");
        acknowledge("00000000-0000-0000-0000-000000000000", "{}").expect(404);
        service.delete("/alarms/nope/silence").expect(404);
        for (String query : List.of("state=closed", "from=yesterday", "severity=warning", "cursor=x")) {
            assertThat(service.get("/alarms?" + query).problem()).as(query).isEqualTo("malformed-request");
        }
        assertThat(items("open").get(0).get("acknowledged").isNull()).isTrue();
    }

    @Test
    void pagesShowEveryAlarmOnceOpenOnesFirst() {
        Pool pool = service.bean(Engine.class).pool(DOMAIN).orElseThrow();
        for (int n = 0; n < 3; n++) {
            drain();
            resume();
        }
        pool.raise("paged", Severity.CRITICAL, Samples.words("paged"));
        await().atMost(Service.PATIENCE)
                .until(() -> !service.get("/alarms?state=open&code=paged")
                        .json()
                        .get("items")
                        .isEmpty());
        List<String> whole = ids("/alarms?limit=500&domain=" + DOMAIN);
        assertThat(whole).hasSizeGreaterThanOrEqualTo(4).doesNotHaveDuplicates();
        assertThat(service.get("/alarms?limit=1&domain=" + DOMAIN)
                        .json()
                        .at("/items/0/cleared")
                        .isNull())
                .isTrue();

        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = service.get("/alarms?limit=1&domain=" + DOMAIN + "&cursor=" + cursor)
                    .expect(200)
                    .json();
            paged.add(page.at("/items/0/id").asString());
            cursor = page.get("nextCursor").isNull()
                    ? ""
                    : page.get("nextCursor").asString();
        } while (!cursor.isEmpty());
        assertThat(paged).isEqualTo(whole);
        pool.clear("paged");
    }

    private static List<String> ids(String path) {
        List<String> ids = new ArrayList<>();
        service.get(path)
                .expect(200)
                .json()
                .get("items")
                .forEach(item -> ids.add(item.get("id").asString()));
        return ids;
    }
}
