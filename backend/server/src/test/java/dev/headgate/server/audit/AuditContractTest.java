package dev.headgate.server.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import tools.jackson.databind.JsonNode;

class AuditContractTest {

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = Service.shared();
    }

    @Test
    void aChangeIsKeptWithWhoWhenWhatBeforeAndAfter() {
        service.domain("audited", "[]");
        service.put(
                        "/domains/audited/policies",
                        "{\"policies\": [{\"plugin\": \"fixed\", \"parameters\": {\"max\": 7}}]}",
                        "If-Match",
                        "\"1\"")
                .expect(200);

        JsonNode entry =
                service.get("/audit?limit=1").expect(200).json().get("items").get(0);

        assertThat(entry.get("action").asString()).isEqualTo("policies.put");
        assertThat(entry.get("target").asString()).isEqualTo("domains/audited");
        assertThat(entry.get("actor").asString()).isEqualTo("admin");
        assertThat(entry.get("node").asString()).isEqualTo("headgate-1");
        assertThat(entry.get("remote").asString()).isEqualTo("127.0.0.1");
        assertThat(entry.get("before").get("revision").asInt()).isEqualTo(1);
        assertThat(entry.get("after")
                        .get("policySet")
                        .get("policies")
                        .get(0)
                        .get("parameters")
                        .get("max")
                        .asInt())
                .isEqualTo(7);
        service.delete("/domains/audited").expect(204);
    }

    @Test
    void aRefusedChangeLeavesNoEntry() {
        service.domain("refused", "[]");
        String newest = newest();
        service.put("/domains/refused/policies", "{\"policies\": [{\"plugin\": \"nope\"}]}", "If-Match", "\"1\"")
                .expect(422);
        service.put("/domains/refused/policies", "{\"policies\": []}", "If-Match", "\"9\"")
                .expect(412);
        assertThat(newest()).isEqualTo(newest);
        service.delete("/domains/refused").expect(204);
    }

    @Test
    void pagesFollowEachOtherWithoutGapOrOverlap() {
        for (int i = 0; i < 4; i++) {
            service.domain("page", "[]");
            service.delete("/domains/page").expect(204);
        }
        JsonNode all = service.get("/audit?limit=7").json().get("items");
        List<String> expected = new ArrayList<>();
        all.forEach(entry -> expected.add(entry.get("id").asString()));

        List<String> paged = new ArrayList<>();
        String cursor = "";
        while (paged.size() < 7) {
            JsonNode page =
                    service.get("/audit?limit=3&cursor=" + cursor).expect(200).json();
            page.get("items").forEach(entry -> paged.add(entry.get("id").asString()));
            cursor = page.get("nextCursor").asString();
        }
        assertThat(paged.subList(0, 7)).isEqualTo(expected);
    }

    @Test
    void badQueriesAreRefused() {
        assertThat(service.get("/audit?limit=0").status()).isEqualTo(400);
        assertThat(service.get("/audit?limit=many").problem()).isEqualTo("malformed-request");
        assertThat(service.get("/audit?cursor=x").problem()).isEqualTo("malformed-request");
    }

    @Test
    void entriesAreNeitherRewrittenNorWrittenOutsideOfTheirChange() {
        JdbcClient store = service.bean(JdbcClient.class);
        assertThatThrownBy(() -> store.sql("update audit set actor = 'nobody'").update())
                .hasMessageContaining("rows are only ever added");
        assertThatThrownBy(() -> store.sql("delete from audit").update())
                .hasMessageContaining("rows are deleted when they are old, and not otherwise");
        assertThatThrownBy(() -> service.bean(Audit.class).record("x", "y", null, null))
                .isInstanceOf(IllegalTransactionStateException.class);
    }

    private static String newest() {
        return service.get("/audit?limit=1")
                .json()
                .get("items")
                .get(0)
                .get("id")
                .asString();
    }

    @Test
    void oldEntriesAndTooManyAreDeletedAndNoneOtherwise(@TempDir Path data) throws IOException {
        try (Service small = Service.start(data, "--headgate.audit.limit=3", "--headgate.audit.keep=10d")) {
            JdbcClient store = small.bean(JdbcClient.class);
            store.sql("""
                            insert into audit (time, node, actor, action, target, remote)
                            select now() - i * interval '6 days', 'n', 'a', 'x', 'entry-' || i, '' from generate_series(5, 0, -1) i
                            """).update();
            assertThatThrownBy(() -> store.sql("delete from audit").update()).hasMessageContaining("is refused");
            small.bean(AuditRetention.class).turn();
            assertThat(targets(store)).as("too old").containsExactly("entry-1", "entry-0");

            store.sql("""
                            insert into audit (node, actor, action, target, remote)
                            select 'n', 'a', 'x', 'new-' || i, '' from generate_series(1, 2) i
                            """).update();
            small.bean(AuditRetention.class).turn();
            assertThat(targets(store)).as("too many").containsExactly("entry-0", "new-1", "new-2");
            assertThatThrownBy(() -> store.sql("delete from audit").update()).hasMessageContaining("is refused");
        }
    }

    private static List<String> targets(JdbcClient store) {
        return store.sql("select target from audit order by id")
                .query(String.class)
                .list();
    }
}
