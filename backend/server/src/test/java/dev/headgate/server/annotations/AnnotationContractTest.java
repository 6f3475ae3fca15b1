package dev.headgate.server.annotations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.Service;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class AnnotationContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @BeforeEach
    void aDomain() {
        service.domain("marked", "[]");
    }

    @AfterEach
    void remove() {
        service.delete("/domains/marked").expect(204);
        ids("").forEach(id -> service.delete("/annotations/" + id).expect(204));
    }

    private static JsonNode mark(String fields) {
        return service.post("/annotations", "{\"kind\": \"deploy\", \"text\": \"a deploy\"" + fields + "}")
                .expect(201)
                .json();
    }

    private static List<String> ids(String query) {
        List<String> ids = new ArrayList<>();
        service.get("/annotations?limit=500" + query)
                .expect(200)
                .json()
                .get("items")
                .forEach(item -> ids.add(item.get("id").asString()));
        return ids;
    }

    @Test
    void anAnnotationIsKeptAuditedAndDeleted() {
        Service.Answer answer = service.post(
                        "/annotations",
                        "{\"kind\": \"deploy\", \"text\": \" shop 4.2 \", \"domain\": \"marked\", \"tags\": [\"4.2\", \"shop\"]}")
                .expect(201);
        JsonNode made = answer.json();
        String id = made.get("id").asString();
        assertThat(answer.header("Location")).isEqualTo("/api/v1/annotations/" + id);
        assertThat(made.get("text").asString()).isEqualTo("shop 4.2");
        assertThat(made.get("author").asString()).isEqualTo("admin");
        assertThat(made.get("time")).isEqualTo(made.get("createdAt"));
        assertThat(service.get("/annotations?domain=marked").expect(200).json().at("/items/0"))
                .isEqualTo(made);
        JsonNode entry = service.get("/audit?target=annotations/" + id).json().at("/items/0");
        assertThat(entry.get("action").asString()).isEqualTo("annotations.create");
        assertThat(entry.at("/after/text").asString()).isEqualTo("shop 4.2");

        service.delete("/annotations/" + id).expect(204);
        assertThat(service.delete("/annotations/" + id).expect(404).problem()).isEqualTo("not-found");
        assertThat(service.get("/audit?target=annotations/" + id)
                        .json()
                        .at("/items/0/action")
                        .asString())
                .isEqualTo("annotations.delete");
    }

    @Test
    void aDomainShowsItsOwnThoseOfItsDatabaseAndThoseOfAll() {
        service.domain("marked-too", "[]");
        String own = mark(", \"domain\": \"marked\"").get("id").asString();
        String ofDatabase = mark(", \"database\": \"main\"").get("id").asString();
        String ofAll = mark("").get("id").asString();
        assertThat(ids("&domain=marked")).containsExactly(ofAll, ofDatabase, own);
        assertThat(ids("&domain=marked-too")).containsExactly(ofAll, ofDatabase);
        service.delete("/domains/marked-too").expect(204);
    }

    @Test
    void theyArePagedAndFilteredByTime() {
        Instant now = Instant.now();
        List<String> newestFirst = new ArrayList<>();
        for (int n = 0; n < 5; n++) {
            newestFirst.addFirst(mark(", \"time\": \"" + now.minus(Duration.ofMinutes(100 - n)) + "\"")
                    .get("id")
                    .asString());
        }
        List<String> paged = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = service.get("/annotations?limit=2&cursor=" + cursor)
                    .expect(200)
                    .json();
            page.get("items").forEach(item -> paged.add(item.get("id").asString()));
            cursor = page.get("nextCursor").isNull()
                    ? ""
                    : page.get("nextCursor").asString();
        } while (!cursor.isEmpty());
        assertThat(paged).isEqualTo(newestFirst);
        assertThat(ids("&from=" + now.minus(Duration.ofMinutes(99)).minusSeconds(1) + "&to="
                        + now.minus(Duration.ofMinutes(97)).minusSeconds(1)))
                .isEqualTo(newestFirst.subList(2, 4));
        assertThat(ids("&kind=note")).isEmpty();
    }

    @Test
    void badRequestsAreRefusedWithEveryFault() {
        assertThat(faults("{}")).contains("/kind", "/text");
        assertThat(faults("{\"kind\": \"party\", \"text\": \" \"}"))
                .contains("/kind", "/text", "deploy, failover, note");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"" + "x".repeat(501) + "\"}"))
                .contains("/text");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"domain\": \"marked\", \"database\": \"main\"}"))
                .contains("/domain");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"domain\": \"nobody\"}"))
                .contains("/domain", "nobody");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"database\": \"nobody\"}"))
                .contains("/database");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"time\": \"1999-01-01T00:00:00Z\"}"))
                .contains("/time");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"time\": \"2999-01-01T00:00:00Z\"}"))
                .contains("/time");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"tags\": [\"\"]}"))
                .contains("/tags/0");
        assertThat(faults("{\"kind\": \"note\", \"text\": \"x\", \"tags\": [" + "\"t\",".repeat(10) + "\"t\"]}"))
                .contains("/tags");
        assertThat(service.post("/annotations", "{\"kind\": \"note\", \"text\": \"x\", \"colour\": \"red\"}")
                        .expect(400)
                        .text())
                .contains("/colour");
        assertThat(service.get("/annotations?author=admin").problem()).isEqualTo("malformed-request");
        assertThat(ids("")).isEmpty();
    }

    private static String faults(String body) {
        return service.post("/annotations", body).expect(422).text();
    }
}
