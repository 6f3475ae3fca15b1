package dev.headgate.server.live;

import static dev.headgate.server.live.TestSocket.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.Engine;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.Service;
import dev.headgate.server.access.AdminToken;
import dev.headgate.server.api.Scope;
import dev.headgate.server.databases.DatabasesChanged;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.feed.FakeDatabase;
import dev.headgate.server.feed.FakePool;
import dev.headgate.server.feed.Feed;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.feed.Samples;
import dev.headgate.server.history.History;
import dev.headgate.server.limits.Handshakes;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.policies.OwnersChanged;
import dev.headgate.server.policies.PolicyChanged;
import dev.headgate.server.store.DataFolder;
import java.io.EOFException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The stream as a browser sees it, over a real socket and a real server; the pools are the test's. */
@SpringBootTest(classes = StreamTest.Setting.class, webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@Timeout(60)
class StreamTest {

    /** Everything but the store and the engine. */
    @Configuration
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
                "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
            })
    @EnableConfigurationProperties(HeadgateProperties.class)
    @ComponentScan(
            basePackages = {
                "dev.headgate.server.access",
                "dev.headgate.server.api",
                "dev.headgate.server.feed",
                "dev.headgate.server.live",
                "dev.headgate.server.problems"
            },
            excludeFilters = @ComponentScan.Filter(type = FilterType.ASSIGNABLE_TYPE, classes = StoredRegistry.class))
    @Import({DataFolder.class, Handshakes.class, History.class})
    static class Setting {

        final FakeDatabase database = new FakeDatabase("main", 40);

        @Bean
        FakeDatabase database() {
            return database;
        }

        @Bean
        Registry registry() {
            return domain -> Registry.Entry.NONE;
        }

        @Bean
        Engine engine(Feed feed) {
            return Engine.start("headgate-1", feed);
        }

        @Bean
        MemoryAccount memoryAccount() {
            return new MemoryAccount(
                    1 << 28,
                    List.of(
                            new MemoryAccount.Portion(Holders.STREAM, 0.5, 1, 1, 1),
                            new MemoryAccount.Portion(Holders.WIDE_STREAM, 0.25, 1, 1, 1),
                            new MemoryAccount.Portion(Holders.HISTORY, 0.25, 1, 1, 1)));
        }

        @Bean
        Supervisor supervisor() {
            return Supervisor.silent();
        }

        @Bean
        Governors governors(Feed feed) {
            return new Governors(feed);
        }

        @Bean
        @Primary
        Fleet fakes() {
            return () -> List.of(database);
        }
    }

    /**
     * Stands in for governors: a window of 100 ms with three requests of 2 ms in every second turn of the feed, which takes 50
     * ms. No frame depends on how two threads keep pace.
     */
    static final class Governors implements Listener {

        private final Feed feed;
        private final Set<FakePool> measured = ConcurrentHashMap.newKeySet();
        private volatile long turns;

        Governors(Feed feed) {
            this.feed = feed;
        }

        @Override
        public void turn(long number, Instant now) {
            turns = number;
            if (number % 2 == 0) {
                measured.forEach(pool -> feed.window(pool, now, Samples.window(2_000_000, 2_000_000, 2_000_000)));
            }
        }
    }

    /** A delta that shows a pool; one that only tells of a second that is over does not. */
    private static final Predicate<JsonNode> MEASURED =
            type("delta").and(delta -> !delta.get("domains").isEmpty());

    @TempDir
    static Path data;

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) {
        registry.add("headgate.data", data::toString);
        registry.add("management.endpoint.health.validate-group-membership", () -> "false"); // no wire port here
    }

    @LocalServerPort
    int port;

    @Autowired
    AdminToken token;

    @Autowired
    Feed feed;

    @Autowired
    FakeDatabase database;

    @Autowired
    Clients clients;

    @Autowired
    StreamCounts counts;

    @Autowired
    ApplicationEventPublisher events;

    @Autowired
    Governors governors;

    private FakePool bank;
    private FakePool gallery;

    @BeforeEach
    void aPool() {
        bank = database.add("bank");
        gallery = database.add("gallery");
    }

    @AfterEach
    void quiet() {
        governors.measured.clear();
        long last = governors.turns + 1; // a window of this turn is told in the next, and is not the next test's
        await().atMost(Service.PATIENCE).until(() -> governors.turns > last);
        database.remove("bank");
        database.remove("gallery");
    }

    @Test
    void theFirstFrameIsAHello() throws IOException {
        try (TestSocket socket = open()) {
            JsonNode hello = socket.read();
            assertThat(hello.get("type").stringValue()).isEqualTo("hello");
            assertThat(hello.get("node").stringValue()).isEqualTo("headgate-1");
            assertThat(hello.get("schemaVersion").intValue()).isEqualTo(1);
            assertThat(hello.get("epoch").stringValue()).matches("[0-9a-f]{8}");
            assertThat(hello.has("seq")).isFalse();
            assertThat(Instant.parse(hello.get("time").stringValue())).isNotNull();
        }
    }

    @Test
    void aSubscriptionIsAnsweredWithASnapshotAndThenDeltasWithoutAGap() throws IOException {
        bank.show(Samples.connections("bank", 3));
        governors.measured.add(bank);
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"],"rateHz":10,"connections":["bank"]}""");
            JsonNode snapshot = socket.readUntil(type("snapshot"));
            assertThat(snapshot.get("seq").longValue()).isEqualTo(1);
            assertThat(names(snapshot)).containsExactly("bank");
            assertThat(snapshot.at("/databases/0/name").stringValue()).isEqualTo("main");
            assertThat(snapshot.at("/connections/bank").propertyNames())
                    .contains("id", "state", "secondP99Ms", "holder", "leaseAgeMs");
            long seq = 1;
            for (int deltas = 0; deltas < 5; ) {
                JsonNode frame = socket.read();
                assertThat(frame.get("seq").longValue()).isEqualTo(++seq);
                if (MEASURED.test(frame)) {
                    deltas++;
                    assertThat(names(frame)).containsExactly("bank");
                    assertThat(frame.at("/domains/0/wait/count").isNumber()).isTrue();
                    assertThat(frame.at("/domains/0/binding/policy").stringValue())
                            .isEqualTo("min-max");
                    assertThat(frame.at("/domains/0/sample/count").intValue()).isPositive();
                    assertThat(frame.at("/domains/0/sample/p99Ms").doubleValue())
                            .isBetween(1.98, 2.02);
                    assertThat(frame.at("/connections/bank/id/2").stringValue()).isEqualTo("bank-2");
                    assertThat(frame.at("/connections/bank/holder/1").isNull()).isTrue();
                }
            }
        }
    }

    @Test
    void aPageGetsTheDomainThatItShowsAndASummaryOfAll() throws IOException {
        governors.measured.add(bank);
        governors.measured.add(gallery);
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"],"rateHz":10,"summary":"figures"}""");
            JsonNode snapshot = socket.readUntil(type("snapshot"));
            assertThat(names(snapshot)).containsExactly("bank");
            assertThat(snapshot.at("/summary/states/domain").toString()).isEqualTo("[\"bank\",\"gallery\"]");
            assertThat(snapshot.at("/summary/states/limit/0/by").stringValue()).isEqualTo("policy");
            assertThat(snapshot.at("/databases/0/name").stringValue()).isEqualTo("main");
            gallery.show(Samples.status("gallery", "main", 6, Samples.alarm("at-ceiling")));
            JsonNode told = socket.readUntil(frame ->
                    "6".equals(row(frame, "figures", "gallery").path("size").toString()));
            assertThat(row(told, "states", "gallery").at("/health/severity").stringValue())
                    .isEqualTo("warning");
            assertThat(names(told)).doesNotContain("gallery");
        }
    }

    /** What a frame's summary tells of one domain. A frame has those that changed, which may be others, too. */
    private static ObjectNode row(JsonNode frame, String table, String domain) {
        JsonNode columns = frame.at("/summary/" + table);
        ObjectNode row = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < columns.path("domain").size(); i++) {
            if (columns.get("domain").get(i).stringValue().equals(domain)) {
                for (String column : columns.propertyNames()) {
                    row.set(column, columns.get(column).get(i));
                }
            }
        }
        return row;
    }

    @Test
    void whoAsksForNoSummaryGetsNoField() throws IOException {
        governors.measured.add(bank);
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["*"],"rateHz":10}""");
            assertThat(socket.readUntil(type("snapshot")).has("summary")).isFalse();
            assertThat(socket.readUntil(MEASURED).has("summary")).isFalse();
        }
    }

    @Test
    void theRateIsKept() throws IOException {
        governors.measured.add(bank);
        try (TestSocket fast = open();
                TestSocket slow = open()) {
            fast.send("""
                    {"type":"subscribe","domains":["*"],"rateHz":10}""");
            slow.send("""
                    {"type":"subscribe","domains":["*"],"rateHz":1}""");
            slow.readUntil(MEASURED); // it may have begun anywhere
            assertThat(measuredMs(slow.readUntil(MEASURED)) % 1_000)
                    .as("whole seconds, more than one if this machine stood still")
                    .isZero();
            fast.readUntil(MEASURED.and(delta -> measuredMs(delta) == 100));
        }
    }

    @Test
    void resubscribingBringsAFreshSnapshotWithinTheSameNumbers() throws IOException {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"]}""");
            JsonNode first = socket.readUntil(type("snapshot"));
            bank.show(Samples.status("bank", "main", 6));
            socket.send("""
                    {"type":"subscribe","domains":["bank","gallery"]}""");
            JsonNode second = socket.readUntil(type("snapshot"));
            assertThat(second.get("seq").longValue())
                    .isGreaterThan(first.get("seq").longValue());
            assertThat(names(second)).containsExactly("bank", "gallery");
            assertThat(second.at("/domains/0/size").intValue()).isEqualTo(6);
        }
    }

    @Test
    void whatHappenedBeforeIsInTheSnapshotAndWhatHappensAfterIsAnEvent() throws IOException {
        int before = 1_000;
        feed.decided(Samples.decision(before, "bank", Decision.Kind.GREW, 1));
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"]}""");
            feed.decided(Samples.decision(before + 1, "bank", Decision.Kind.HELD, 1));
            feed.decided(Samples.decision(before + 2, "gallery", Decision.Kind.HELD, 1));
            feed.decided(Samples.decision(before + 3, "bank", Decision.Kind.HELD, 1));
            List<String> ids = new ArrayList<>();
            JsonNode snapshot = socket.readUntil(type("snapshot"));
            snapshot.get("events")
                    .forEach(event -> ids.add(event.at("/decision/id").stringValue("")));
            while (!ids.contains("test-" + (before + 3))) {
                JsonNode event = socket.readUntil(type("event"));
                assertThat(event.get("event").stringValue()).isEqualTo("decision");
                ids.add(event.at("/decision/id").stringValue());
            }
            ids.removeIf(id -> !id.startsWith("test-100"));
            assertThat(ids)
                    .doesNotHaveDuplicates()
                    .contains("test-1001", "test-1003")
                    .doesNotContain("test-1002");
        }
    }

    @Test
    void anAlarmIsToldWhenItIsRaisedAndWhenItIsOver() throws IOException {
        governors.measured.add(bank);
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"]}""");
            socket.readUntil(type("delta"));
            bank.show(Samples.status("bank", "main", 7, Samples.alarm("at-ceiling")));
            JsonNode raised = socket.readUntil(type("event"));
            bank.show(Samples.status("bank", "main", 7));
            JsonNode over = socket.readUntil(type("event"));
            assertThat(raised.at("/alarm/code").stringValue()).isEqualTo("at-ceiling");
            assertThat(raised.get("active").booleanValue()).isTrue();
            assertThat(over.at("/alarm/code").stringValue()).isEqualTo("at-ceiling");
            assertThat(over.get("active").booleanValue()).isFalse();
        }
    }

    @Test
    void whatOtherFeaturesChangeIsAnEvent() throws IOException {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["bank"]}""");
            socket.readUntil(type("snapshot"));
            events.publishEvent(new DomainsChanged(Samples.NOON, "bank"));
            events.publishEvent(
                    new PolicyChanged(Scope.domain("gallery"), "main", 4, "admin", Samples.NOON, "not for this one"));
            events.publishEvent(new PolicyChanged(
                    Scope.domain("bank"), "main", 9, "admin", Samples.NOON, "bank is at revision 9."));
            JsonNode domains = socket.readUntil(type("event"));
            JsonNode policy = socket.readUntil(type("event"));
            assertThat(domains.get("event").stringValue()).isEqualTo("domains");
            assertThat(policy.get("event").stringValue()).isEqualTo("policy");
            assertThat(policy.get("revision").longValue()).isEqualTo(9);
            assertThat(policy.get("domain").stringValue()).isEqualTo("bank");
            assertThat(policy.get("actor").stringValue()).isEqualTo("admin");
        }
    }

    /** So that a page fetches that one again, and not everything. */
    @Test
    void aChangeOfOneDomainOrDatabaseNamesIt() throws IOException {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":[]}""");
            socket.readUntil(type("snapshot"));
            Scope bank = Scope.domain("bank");
            Scope main = Scope.database("main");
            for (Object change : List.of(
                    new DomainsChanged(Samples.NOON, "bank"),
                    new DatabasesChanged(Samples.NOON, "main"),
                    new OwnersChanged(Samples.NOON, Set.of(bank)),
                    new OwnersChanged(Samples.NOON, Set.of(main)),
                    new OwnersChanged(Samples.NOON, Set.of(bank, main)))) {
                events.publishEvent(change);
            }
            List<String> named = new ArrayList<>();
            for (int n = 0; n < 5; n++) {
                JsonNode event = socket.readUntil(type("event"));
                assertThat(event.get("event").stringValue()).isEqualTo("domains");
                named.add(event.get("domain") + " " + event.get("database"));
            }
            assertThat(named)
                    .containsExactly("\"bank\" null", "null \"main\"", "\"bank\" null", "null \"main\"", "null null");
        }
    }

    /**
     * One client reads nothing until the server cannot send to it any more. Another sees no difference; and when the first
     * reads again, it gets every event, one delta with everything measured meanwhile, and numbers without a gap.
     */
    @Test
    void aSlowReaderHurtsNobodyAndLosesNoEvent() throws IOException {
        bank.show(Samples.connections("bank", 2_000)); // a frame of 200 kB
        governors.measured.add(bank);
        try (TestSocket slow = open();
                TestSocket quick = open()) {
            slow.send("""
                    {"type":"subscribe","domains":["bank"],"rateHz":10,"connections":["bank"]}""");
            quick.send("""
                    {"type":"subscribe","domains":["bank"],"rateHz":10}""");
            quick.readUntil(type("snapshot"));
            long merged = counts.framesMerged();
            int deltas = 0;
            while (counts.framesMerged() < merged + 30) { // the slow one has missed three seconds
                JsonNode frame = quick.read();
                assertThat(type("delta").or(type("event")).test(frame)).isTrue();
                deltas += type("delta").test(frame) ? 1 : 0;
            }
            assertThat(deltas).as("what the quick reader got meanwhile").isGreaterThan(15);
            for (int n = 0; n < 200; n++) {
                feed.decided(Samples.decision(5_000 + n, "bank", Decision.Kind.HELD, 1));
            }
            quick.readUntil(frame -> frame.at("/decision/id").stringValue("").equals("test-5199"));

            List<String> told = new ArrayList<>();
            long longest = 0;
            long seq = 0;
            while (told.size() < 200 || longest < 2_500) {
                JsonNode frame = slow.read();
                if (!type("hello").test(frame)) {
                    assertThat(frame.get("seq").longValue()).isEqualTo(++seq);
                }
                if (frame.at("/decision/id").stringValue("").startsWith("test-5")) {
                    told.add(frame.at("/decision/id").stringValue());
                }
                longest =
                        Math.max(longest, frame.at("/domains/0/sample/windowMs").longValue(0));
            }
            assertThat(told).hasSize(200).doesNotHaveDuplicates().isSorted();
        }
    }

    @Test
    void aClientThatLetsEventsPileUpIsClosedWith4408() throws IOException {
        bank.show(Samples.connections("bank", 2_000));
        governors.measured.add(bank);
        try (TestSocket slow = open()) {
            slow.send("""
                    {"type":"subscribe","domains":["bank"],"rateHz":10,"connections":["bank"]}""");
            long merged = counts.framesMerged();
            await().atMost(Service.PATIENCE).until(() -> counts.framesMerged() > merged + 5);
            long before = counts.closedTooSlow();
            for (int n = 0; n < 1_100; n++) {
                feed.decided(Samples.decision(10_000 + n, "bank", Decision.Kind.HELD, 1));
            }
            await().atMost(Service.PATIENCE).until(() -> counts.closedTooSlow() == before + 1);
            assertThat(slow.readClose().code).isEqualTo(4408);
        }
    }

    @Test
    void aMalformedMessageEndsTheStreamWithItsField() throws IOException {
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["*"],"rateHz":100}""");
            TestSocket.Closed closed = socket.readClose();
            assertThat(closed.code).isEqualTo(4400);
            assertThat(closed.reason).contains("rateHz").contains("0.2..10").contains("100");
        }
        try (TestSocket socket = open()) {
            socket.sendBinary((byte) 1, (byte) 2);
            assertThat(socket.readClose().code).isEqualTo(4400);
        }
    }

    /** A refused stranger who does not answer the close frame would keep the connection for half a minute. */
    @Test
    void whoDoesNotAnswerACloseFrameIsCutOff() throws IOException {
        try (TestSocket socket = new TestSocket(port)) {
            assertThat(socket.readClose().code).isEqualTo(4401);
            assertThatThrownBy(socket::read).isInstanceOf(EOFException.class); // it gives up after 20 s itself
        }
    }

    @Test
    void withoutACredentialTheStreamEndsWith4401() throws IOException {
        try (TestSocket socket = new TestSocket(port)) {
            assertThat(socket.readClose().code).isEqualTo(4401);
        }
        try (TestSocket socket = new TestSocket(port, "Authorization", "Bearer wrong-wrong-wrong-wrong")) {
            assertThat(socket.readClose().code).isEqualTo(4401);
        }
    }

    @Test
    void aForeignPageIsRefusedBeforeTheHandshake() throws IOException {
        try (TestSocket socket =
                new TestSocket(port, "Authorization", "Bearer " + token.value(), "Origin", "https://evil.example")) {
            assertThat(socket.status).isEqualTo(403);
        }
        try (TestSocket socket = new TestSocket(
                port, "Authorization", "Bearer " + token.value(), "Origin", "http://127.0.0.1:" + port)) {
            assertThat(socket.status).isEqualTo(101);
        }
    }

    /** Of a certain number: the next one has its frames plain. */
    @Test
    void framesAreCompressedForWhoeverOffersIt() throws IOException {
        List<TestSocket> sockets = new ArrayList<>();
        try {
            for (int n = 0; n < DeflateOffers.MOST; n++) {
                TestSocket socket = offering();
                sockets.add(socket);
                assertThat(socket.headers.get("sec-websocket-extensions")).contains("permessage-deflate");
            }
            await().until(() -> clients.deflated() == DeflateOffers.MOST);
            try (TestSocket late = offering()) {
                assertThat(late.status).isEqualTo(101);
                assertThat(late.headers).doesNotContainKey("sec-websocket-extensions");
                assertThat(late.readText()).contains("\"hello\"");
            }
        } finally {
            for (TestSocket each : sockets) {
                each.close();
            }
        }
        await().until(() -> clients.deflated() == 0);
        try (TestSocket socket = offering()) {
            assertThat(socket.headers).containsKey("sec-websocket-extensions");
        }
    }

    private TestSocket offering() throws IOException {
        return new TestSocket(
                port,
                "Authorization",
                "Bearer " + token.value(),
                "Sec-WebSocket-Extensions",
                "permessage-deflate; client_max_window_bits");
    }

    @Test
    void noFrameCarriesASecret() throws IOException {
        governors.measured.add(bank);
        try (TestSocket socket = open()) {
            socket.send("""
                    {"type":"subscribe","domains":["*"],"rateHz":10,"connections":["*"]}""");
            StringBuilder everything = new StringBuilder();
            for (int frames = 0; frames < 8; frames++) {
                everything.append(socket.readText());
            }
            assertThat(everything)
                    .contains("\"sample\"")
                    .doesNotContain(FakeDatabase.PASSWORD)
                    .doesNotContain(token.value());
        }
    }

    @Test
    void theFramesAreAmongTheSchemasOfTheApi() throws Exception {
        HttpResponse<String> answer;
        try (HttpClient client = HttpClient.newHttpClient()) {
            answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v3/api-docs"))
                            .header("Authorization", "Bearer " + token.value())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
        JsonNode schemas = JsonMapper.shared().readTree(answer.body()).at("/components/schemas");
        assertThat(schemas.propertyNames())
                .contains("StreamFrame", "StreamHello", "StreamSnapshot", "StreamDelta", "StreamEventFrame")
                .contains("StreamBookmark", "PoolDelta", "Pool", "Sample", "Decision", "ConnectionColumns", "History")
                .noneMatch(name -> name.startsWith("Encoded"));
        assertThat(schemas.at("/StreamDelta/properties/domains/items/$ref").stringValue())
                .isEqualTo("#/components/schemas/PoolDelta");
        assertThat(schemas.at("/StreamDelta/properties/connections/additionalProperties/$ref")
                        .stringValue())
                .isEqualTo("#/components/schemas/ConnectionColumns");
        assertThat(schemas.at("/StreamDelta/properties/type/enum/0").stringValue())
                .isEqualTo("delta");
        assertThat(schemas.at("/StreamSnapshot/required").size()).isEqualTo(9);
        assertThat(schemas.at("/PolicyEvent/properties/domain/type").toString()).contains("null");
        assertThat(schemas.at("/PoolDelta/allOf/0/$ref").stringValue()).isEqualTo("#/components/schemas/Pool");
    }

    @Test
    void whoLeavesIsForgotten() throws IOException {
        await().atMost(Service.PATIENCE).until(() -> counts.clients() == 0); // those of the tests before this one
        try (TestSocket socket = open()) {
            socket.read();
            assertThat(counts.clients()).isEqualTo(1);
        }
        await().atMost(Service.PATIENCE).until(() -> counts.clients() == 0);
    }

    private TestSocket open() throws IOException {
        TestSocket socket = new TestSocket(port, "Authorization", "Bearer " + token.value());
        assertThat(socket.status).isEqualTo(101);
        return socket;
    }

    private static List<String> names(JsonNode frame) {
        List<String> names = new ArrayList<>();
        frame.get("domains").forEach(domain -> names.add(domain.get("domain").stringValue()));
        return names;
    }

    private static long measuredMs(JsonNode delta) {
        return delta.at("/domains/0/sample/windowMs").longValue();
    }
}
