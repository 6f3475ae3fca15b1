package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.server.feed.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What every list of the API has in common, and the filters of each. */
class ListsContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    /** Every GET whose answer has items, from the document itself: a new list is tested without a word here. */
    static Stream<String> lists() throws IOException {
        JsonNode document =
                Service.shared().send("GET", "/v3/api-docs", null).expect(200).json();
        return document.get("paths").properties().stream()
                .filter(path -> {
                    String answer = path.getValue()
                            .at("/get/responses/200/content/application~1json/schema/$ref")
                            .asString("");
                    return document.at(answer.isEmpty() ? "/none" : answer.substring(1) + "/properties/items")
                            .isObject();
                })
                .map(path -> path.getKey().substring("/api/v1".length()));
    }

    @Test
    void theListsAreFoundInTheDocument() throws IOException {
        assertThat(lists())
                .contains(
                        "/audit",
                        "/databases",
                        "/databases/{database}/policies/revisions",
                        "/decisions",
                        "/domains",
                        "/domains/{domain}/clients",
                        "/domains/{domain}/connections",
                        "/domains/{domain}/decisions",
                        "/domains/{domain}/policies/revisions",
                        "/policy-plugins",
                        "/workloads");
    }

    @ParameterizedTest
    @MethodSource("lists")
    void everyListTakesALimitAndACursorAndSaysWhatIsWrongWithThem(String list) {
        service.post("/domains", "{\"name\": \"listed\", \"database\": \"main\"}");
        String path = list.replace("{domain}", "listed").replace("{database}", "main");
        JsonNode page = service.get(path + "?limit=1").expect(200).json();
        assertThat(page.get("items").size()).isLessThanOrEqualTo(1);
        assertThat(page.has("nextCursor")).isTrue();
        service.get(path + "?limit=500&cursor=").expect(200);
        for (String bad : List.of("limit=0", "limit=501", "limit=", "limit=1.5", "limit=many", "limit=99999999999")) {
            Service.Answer answer = service.get(path + "?" + bad).expect(400);
            assertThat(answer.json().get("detail").asString()).as(bad).contains("'limit'");
        }
        for (String bad : List.of("cursor=x", "cursor=%00", "cursor=b3RoZXJzLzE", "cursor=" + "a".repeat(4_000))) {
            Service.Answer answer = service.get(path + "?" + bad).expect(400);
            assertThat(answer.json().get("detail").asString()).as(bad).contains("'cursor'");
        }
    }

    @Test
    void domainsFollowByNameAndAreFilteredByDatabaseNameStateAndAlarm() {
        for (String name : List.of("paged-a", "paged-b", "paged-b2", "paged-c-d", "paged-cc", "paged-z")) {
            service.post("/domains", "{\"name\": \"%s\", \"database\": \"main\"}".formatted(name))
                    .expect(201);
        }
        assertThat(walk("/domains?q=paged-&database=main&limit=2"))
                .containsExactly("paged-a", "paged-b", "paged-b2", "paged-c-d", "paged-cc", "paged-z");
        assertThat(walk("/domains?q=PAGED-B&limit=1")).containsExactly("paged-b", "paged-b2");
        assertThat(walk("/domains?q=paged-%25")).isEmpty();
        assertThat(walk("/domains?q=paged-&database=other")).isEmpty();

        service.post("/domains/paged-b/pause", null).expect(200);
        service.post("/domains/paged-z/pause", null).expect(200);
        service.post("/domains/paged-cc/drain", null).expect(200);
        assertThat(walk("/domains?q=paged-&state=paused&limit=1")).containsExactly("paged-b", "paged-z");
        assertThat(walk("/domains?q=paged-&state=draining")).containsExactly("paged-cc");
        assertThat(walk("/domains?q=paged-&state=open&limit=3")).containsExactly("paged-a", "paged-b2", "paged-c-d");
        Service.Answer bad = service.get("/domains?state=shut").expect(400);
        assertThat(bad.text()).contains("'state'").contains("open, paused, draining");

        service.bean(Engine.class)
                .pool("paged-a")
                .orElseThrow()
                .raise("made-up", Severity.CRITICAL, Samples.words("made up"));
        await().atMost(Service.PATIENCE)
                .until(() -> walk("/domains?q=paged-&alarm=made-up").equals(List.of("paged-a")));
        assertThat(walk("/domains?q=paged-&alarm=any&limit=1")).contains("paged-a");
        assertThat(walk("/domains?q=paged-&alarm=nothing")).isEmpty();

        JsonNode first = service.get("/domains?q=paged-&limit=2").json();
        service.delete("/domains/paged-b").expect(204);
        service.delete("/domains/paged-a").expect(204);
        assertThat(walk("/domains?q=paged-&limit=2", first.get("nextCursor").asString()))
                .containsExactly("paged-b2", "paged-c-d", "paged-cc", "paged-z");
        for (String name : List.of("paged-b2", "paged-c-d", "paged-cc", "paged-z")) {
            service.delete("/domains/" + name).expect(204);
        }
    }

    @Test
    void domainsAreFilteredByOneLabel() {
        String body = "{\"name\": \"%s\", \"database\": \"main\", \"labels\": %s}";
        service.post("/domains", body.formatted("owned-a", "{\"team\": \"payments\"}"))
                .expect(201);
        service.post("/domains", body.formatted("owned-b", "{\"team\": \"a: b\", \"zone\": \"eu\"}"))
                .expect(201);
        service.post("/domains", body.formatted("owned-c", "{\"zone\": \"payments\"}"))
                .expect(201);
        assertThat(walk("/domains?q=owned-&label=team:payments")).containsExactly("owned-a");
        assertThat(walk("/domains?q=owned-&label=team:a:%20b")).containsExactly("owned-b");
        assertThat(walk("/domains?q=owned-&label=team&limit=1")).containsExactly("owned-a", "owned-b");
        assertThat(walk("/domains?q=owned-&label=zone")).containsExactly("owned-b", "owned-c");
        assertThat(walk("/domains?q=owned-&label=team:pay")).isEmpty();
        assertThat(walk("/domains?q=owned-&label=tea")).isEmpty();
        for (String bad : List.of("", "Team", "team:", ":payments", "team:%20payments", "team=payments")) {
            assertThat(service.get("/domains?label=" + bad)
                            .expect(400)
                            .json()
                            .at("/errors/0/message")
                            .asString())
                    .as(bad)
                    .startsWith("the parameter 'label' must be a label, was ");
        }
        assertThat(service.get("/domains?label=Team").text()).contains("NAME:VALUE of a label, or its NAME");
        service.get("/domains?label=team&label=zone").expect(400);
        for (String name : List.of("owned-a", "owned-b", "owned-c")) {
            service.delete("/domains/" + name).expect(204);
        }
    }

    @Test
    void databasesFollowByNameAndAreFilteredByIt() {
        for (String name : List.of("shard-1", "shard-2", "shard-3")) {
            service.post("/databases", service.databaseBody(name, 1)).expect(201);
        }
        assertThat(walk("/databases?q=Shard&limit=1")).containsExactly("shard-1", "shard-2", "shard-3");
        assertThat(walk("/databases?q=-2")).containsExactly("shard-2");
        for (String name : List.of("shard-1", "shard-2", "shard-3")) {
            service.delete("/databases/" + name).expect(204);
        }
    }

    @Test
    void revisionsConnectionsAndClientsFollowEachOther() throws Exception {
        service.post("/domains", "{\"name\": \"follow\", \"database\": \"main\"}")
                .expect(201);
        for (int revision = 0; revision < 4; revision++) {
            service.put(
                            "/domains/follow/policies",
                            "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": %d}}]}"
                                    .formatted(12 + revision),
                            "If-Match",
                            "\"" + revision + "\"")
                    .expect(200);
        }
        assertThat(walk("/domains/follow/policies/revisions?limit=2", "", "revision"))
                .containsExactly("4", "3", "2", "1", "0");
        assertThat(walk("/domains/follow/policies/revisions?limit=5", "", "revision"))
                .hasSize(5);

        for (String name : List.of("B", "a", "C_1", "c.2")) {
            service.post("/domains/follow/clients", "{\"name\": \"%s\"}".formatted(name))
                    .expect(201);
        }
        assertThat(walk("/domains/follow/clients?limit=3")).containsExactly("B", "C_1", "a", "c.2");

        List<Lease> leases = new ArrayList<>();
        for (int n = 0; n < 11; n++) {
            leases.add(service.bean(Engine.class).pool("follow").orElseThrow().acquire(LeaseRequest.by("a test")));
        }
        List<String> ids = walk("/domains/follow/connections?limit=4", "", "id");
        assertThat(ids).hasSize(11).doesNotHaveDuplicates();
        assertThat(ids)
                .isSortedAccordingTo((a, b) -> Integer.compare(
                        Integer.parseInt(a.substring("follow-".length())),
                        Integer.parseInt(b.substring("follow-".length()))));
        leases.forEach(Lease::close);
        service.delete("/domains/follow").expect(204);
    }

    @Test
    void theAuditIsFilteredByActorActionTargetAndTime() {
        service.post("/domains", "{\"name\": \"traced\", \"database\": \"main\"}")
                .expect(201);
        service.post("/domains/traced/pause", null).expect(200);
        service.delete("/domains/traced").expect(204);
        assertThat(walk("/audit?target=domains/traced&limit=2", "", "action"))
                .startsWith("domains.delete", "domains.pause", "domains.create");
        assertThat(walk("/audit?target=domains/traced&action=domains.pause", "", "action"))
                .containsExactly("domains.pause");
        assertThat(walk("/audit?target=domains/traced&actor=admin&limit=500", "", "actor"))
                .hasSize(3)
                .containsOnly("admin");
        assertThat(walk("/audit?target=domains/traced&actor=nobody", "", "actor"))
                .isEmpty();
        JsonNode paused = service.get("/audit?target=domains/traced&action=domains.pause")
                .json()
                .get("items")
                .get(0);
        String time = paused.get("time").asString();
        assertThat(walk("/audit?target=domains/traced&to=" + time, "", "action"))
                .containsExactly("domains.create");
        assertThat(walk("/audit?target=domains/traced&from=" + time, "", "action"))
                .containsExactly("domains.delete", "domains.pause");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/audit?from=yesterday", "/audit?to=", "/databases?q=a%00b", "/domains?database=a%00b"})
    void aFilterThatCannotBeIsRefused(String path) {
        assertThat(service.get(path).status()).isEqualTo(400);
    }

    @Test
    void pluginsFollowByIdAndVersion() {
        List<String> all = walk("/policy-plugins?limit=500", "", "id");
        assertThat(all).isNotEmpty().isSorted();
        assertThat(walk("/policy-plugins?limit=1", "", "id")).isEqualTo(all);
    }

    private static List<String> walk(String path) {
        return walk(path, "");
    }

    private static List<String> walk(String path, String cursor) {
        return walk(path, cursor, "name");
    }

    /** A field of every entry, page by page. */
    private static List<String> walk(String path, String cursor, String field) {
        List<String> found = new ArrayList<>();
        String next = cursor;
        do {
            JsonNode page = service.get(path + (path.contains("?") ? "&" : "?") + "cursor=" + next)
                    .expect(200)
                    .json();
            page.get("items").forEach(item -> found.add(item.get(field).asString()));
            next = page.get("nextCursor").isNull()
                    ? null
                    : page.get("nextCursor").asString();
        } while (next != null);
        return found;
    }
}
