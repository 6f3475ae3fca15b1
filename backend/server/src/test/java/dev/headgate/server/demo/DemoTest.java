package dev.headgate.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The demo as {@code ./headgate up} starts it, over HTTP. */
@Timeout(180)
class DemoTest {

    @TempDir
    static Path data;

    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = start(data);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static Service start(Path data) throws IOException {
        NamedFactory.writeTo(data.resolve("plugins"), "min-max", "latency-cap", "tiers");
        return Service.start(data, "--headgate.demo=true");
    }

    @Test
    void registersItsDomainsInItsOwnName() {
        JsonNode database = service.get("/databases/main").expect(200).json();
        assertThat(database.get("budget").asInt()).isEqualTo(40);
        assertThat(database.get("database").asString()).isEqualTo("demo");

        JsonNode bank = service.get("/domains/bank/policies").expect(200).json();
        assertThat(bank.get("revision").asInt()).isEqualTo(1);
        assertThat(bank.get("actor").asString()).isEqualTo("demo");
        assertThat(plugins(bank)).containsExactly("tiers", "min-max", "latency-cap");
        assertThat(bank.get("policySet").get("whenExhausted").toString())
                .isEqualTo("{\"mode\":\"queue\",\"timeoutMs\":5000,\"depth\":1000}");
        assertThat(plugins(service.get("/domains/auction/policies").json())).containsExactly("tiers", "min-max");
        assertThat(plugins(service.get("/domains/gallery/policies").json())).containsExactly("tiers", "min-max");

        JsonNode audit = service.get("/audit?limit=500").json().get("items");
        assertThat(audit.valueStream()
                        .filter(entry -> entry.get("actor").asString().equals("demo"))
                        .map(entry -> entry.get("target").asString()))
                .containsExactly("domains/gallery", "domains/bank", "domains/auction", "databases/main");
    }

    @Test
    void loadsItsDomains() {
        JsonNode items = service.get("/workloads").expect(200).json().get("items");
        assertThat(items.valueStream().map(item -> item.get("name").asString()))
                .containsExactly("auction", "bank", "gallery");

        await().atMost(Service.PATIENCE)
                .until(() -> service.get("/workloads/auction")
                                .json()
                                .get("latency")
                                .get("count")
                                .asInt()
                        > 20);
        JsonNode auction = service.get("/workloads/auction").expect(200).json();
        assertThat(auction.get("domain").asString()).isEqualTo("auction");
        assertThat(auction.get("running").asBoolean()).isTrue();
        assertThat(auction.get("varies").asBoolean()).isTrue();
        assertThat(auction.get("ratePerSecond").asDouble()).isEqualTo(70);
        assertThat(auction.get("offeredPerSecond").asDouble()).isPositive();
        assertThat(auction.get("achievedPerSecond").asDouble()).isPositive();
        assertThat(auction.get("errors").asInt()).as(auction.toString()).isZero();
        assertThat(auction.get("lastError").isNull()).isTrue();
        assertThat(auction.get("latency").get("p50Ms").asDouble()).isPositive();
        assertThat(service.get("/domains/auction/pool")
                        .json()
                        .get("totals")
                        .get("leases")
                        .asLong())
                .isPositive();
    }

    @Test
    void changesALoadAndAuditsIt() {
        JsonNode changed = service.patch("/workloads/bank", "{\"ratePerSecond\": 12.5, \"varies\": false}")
                .expect(200)
                .json();
        assertThat(changed.get("ratePerSecond").asDouble()).isEqualTo(12.5);
        assertThat(changed.get("varies").asBoolean()).isFalse();
        assertThat(changed.get("running").asBoolean()).isTrue();

        JsonNode entry = service.get("/audit?limit=1").json().get("items").get(0);
        assertThat(entry.get("action").asString()).isEqualTo("workloads.change");
        assertThat(entry.get("target").asString()).isEqualTo("workloads/bank");
        assertThat(entry.get("actor").asString()).isEqualTo("admin");
        assertThat(entry.get("before").toString())
                .isEqualTo("{\"running\":true,\"ratePerSecond\":40.0,\"varies\":true}");
        assertThat(entry.get("after").toString())
                .isEqualTo("{\"running\":true,\"ratePerSecond\":12.5,\"varies\":false}");

        String newest = entry.get("id").asString();
        service.patch("/workloads/bank", "{\"varies\": false}").expect(200);
        service.patch("/workloads/bank", "{}").expect(200);
        assertThat(service.get("/audit?limit=1")
                        .json()
                        .get("items")
                        .get(0)
                        .get("id")
                        .asString())
                .as("what changes nothing is not audited")
                .isEqualTo(newest);
    }

    @Test
    void refusesRatesOutOfBoundsAndFieldsItDoesNotKnow() {
        for (String rate : List.of("0.05", "5000.5", "-1", "0")) {
            Service.Answer answer = service.patch("/workloads/gallery", "{\"ratePerSecond\": " + rate + "}")
                    .expect(422);
            assertThat(answer.problem()).isEqualTo("invalid-request");
            assertThat(answer.fault("/ratePerSecond")).contains("was " + rate).endsWith("| 0.1..5000");
        }
        service.patch("/workloads/gallery", "{\"rate\": 1}").expect(400);
        service.patch("/workloads/gallery", "{\"running\": \"no\"}").expect(400);
        service.patch("/workloads/nobody", "{\"running\": false}").expect(404);
        service.get("/workloads/nobody").expect(404);
        assertThat(service.get("/workloads/gallery").json().get("ratePerSecond").asDouble())
                .isEqualTo(2);
    }

    @Test
    void whatOperatorsChangedSurvivesARestartEvenOnAnotherPort(@TempDir Path own) throws IOException {
        int port;
        try (Service before = start(own)) {
            port = before.embedded().port();
            before.patch("/workloads/bank", "{\"running\": false, \"ratePerSecond\": 5}")
                    .expect(200);
            before.delete("/domains/gallery").expect(204);
            before.patch("/databases/main", "{\"budget\": 30}").expect(200);
        }
        try (ServerSocket thief = new ServerSocket()) {
            thief.setReuseAddress(true);
            thief.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
            try (Service after = start(own)) {
                JsonNode items = after.get("/workloads").json().get("items");
                assertThat(items.valueStream().map(item -> item.get("name").asString()))
                        .containsExactly("auction", "bank");
                assertThat(items.get(1).get("running").asBoolean()).isFalse();
                assertThat(items.get(1).get("ratePerSecond").asDouble()).isEqualTo(5);
                after.get("/domains/gallery").expect(404);

                JsonNode main = after.get("/databases/main").json();
                assertThat(main.get("budget").asInt()).isEqualTo(30);
                assertThat(main.get("port").asInt())
                        .isEqualTo(after.embedded().port())
                        .isNotEqualTo(port);
                await().atMost(Service.PATIENCE)
                        .until(() -> after.get("/workloads/auction")
                                        .json()
                                        .get("latency")
                                        .get("count")
                                        .asInt()
                                > 20);
            }
        }
    }

    @Test
    void withoutTheDemoThereIsNothingToLoad() throws IOException {
        Service bare = Service.shared();
        assertThat(bare.get("/workloads").expect(200).text()).isEqualTo("{\"items\":[],\"nextCursor\":null}");
        bare.patch("/workloads/bank", "{\"running\": true}").expect(404);
    }

    private static List<String> plugins(JsonNode policies) {
        List<String> plugins = new ArrayList<>();
        policies.get("policySet")
                .get("policies")
                .forEach(policy -> plugins.add(policy.get("plugin").asString()));
        return plugins;
    }
}
