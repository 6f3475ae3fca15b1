package dev.headgate.server.longrequests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.headgate.server.Service;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.limits.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An operator looks at what the service is busy with, and cancels some of it. */
@Timeout(60)
class LongRequestContractTest {

    private static final String PATH = "/long-requests";

    private static Service service;
    private static LongRequests requests;

    private final CountDownLatch end = new CountDownLatch(1);

    @BeforeAll
    static void start(@TempDir Path data) throws IOException {
        service = Service.start(data, "--headgate.limits.long-requests=1");
        requests = service.bean(LongRequests.class);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @AfterEach
    void nothingIsLeft() {
        end.countDown();
        await().atMost(Service.PATIENCE)
                .until(() -> service.get(PATH).json().get("items").isEmpty());
    }

    @Test
    void aRunningOneIsShownAndItsCallerHearsWhoCancelledIt() {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<String> answer = asked(new LongWork(LongWork.Kind.PLAN, "domains/shop", 7_000), progress -> {
            progress.at(0.25);
            told.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
            progress.at(0.5);
            return "done";
        });
        until(told);
        JsonNode shown = only();
        assertThat(shown.get("kind").asString()).isEqualTo("plan");
        assertThat(shown.get("of").asString()).isEqualTo("domains/shop");
        assertThat(shown.get("author").asString()).isEqualTo("reader");
        assertThat(shown.get("state").asString()).isEqualTo("running");
        assertThat(shown.get("progress").asDouble()).isEqualTo(0.25);
        assertThat(shown.get("memoryBytes").asLong()).isEqualTo(7_000);
        assertThat(shown.get("elapsedMs").asDouble()).isPositive();

        String id = shown.get("id").asString();
        assertThat(service.post(PATH + "/" + id + "/cancel", null)
                        .expect(200)
                        .json()
                        .get("id")
                        .asString())
                .isEqualTo(id);
        assertThatThrownBy(answer::join).hasMessageContaining("admin cancelled this work.");
        assertThat(interrupted.join()).isTrue();
        JsonNode audited = service.get("/audit?limit=1").json().get("items").get(0);
        assertThat(audited.get("action").asString()).isEqualTo("long-request.cancel");
        assertThat(audited.get("target").asString()).isEqualTo("long-requests/" + id);
    }

    /** A policy's code may swallow the interrupt of its thread. */
    @Test
    void workThatSwallowsItsInterruptEndsAtItsNextStep() {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<String> last = new CompletableFuture<>();
        CompletableFuture<String> answer = asked(new LongWork(LongWork.Kind.REPLAY, "", 1), progress -> {
            told.countDown();
            try {
                end.await();
            } catch (InterruptedException swallowed) {
                // as such code does
            }
            try {
                progress.at(0.5);
                last.complete("went on");
            } catch (RuntimeException e) {
                last.complete("ended");
                throw e;
            }
            return "";
        });
        until(told);
        service.post(PATH + "/" + only().get("id").asString() + "/cancel", null).expect(200);
        assertThat(last.join()).isEqualTo("ended");
        assertThatThrownBy(answer::join).hasMessageContaining("admin cancelled");
    }

    @Test
    void aChangeThatHasBegunRunsToItsEnd() {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<String> changed = asked(new LongWork(LongWork.Kind.APPLY, "files/team", 1), progress -> {
            progress.changes();
            told.countDown();
            until(end);
            progress.at(1);
            return "whole";
        });
        until(told);
        JsonNode shown = only();
        assertThat(shown.get("cancellable").asBoolean()).isFalse();
        assertThat(shown.get("progress").isNull()).isTrue();
        Service.Answer refused = service.post(PATH + "/" + shown.get("id").asString() + "/cancel", null);
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.json().get("detail").asString())
                .isEqualTo("The apply of files/team changes something, so it runs to its end.");
        end.countDown();
        assertThat(changed.join()).isEqualTo("whole");
    }

    /** Before its first change it only compares, and may wait for databases that do not answer. */
    @Test
    void aChangeThatHasNotBegunIsCancelledAndChangesNothing() {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<String> last = new CompletableFuture<>();
        CompletableFuture<String> answer = asked(new LongWork(LongWork.Kind.APPLY, "files/team", 1), progress -> {
            told.countDown();
            try {
                end.await();
            } catch (InterruptedException swallowed) {
                // as code of a driver may
            }
            try {
                progress.changes();
                last.complete("changed");
            } catch (RuntimeException e) {
                last.complete("ended");
                throw e;
            }
            return "";
        });
        until(told);
        JsonNode shown = only();
        assertThat(shown.get("cancellable").asBoolean()).isTrue();
        service.post(PATH + "/" + shown.get("id").asString() + "/cancel", null).expect(200);
        assertThatThrownBy(answer::join).hasMessageContaining("admin cancelled this work.");
        assertThat(last.join()).isEqualTo("ended");
    }

    @Test
    void oneThatWaitsIsShownAndWhoIsRefusedIsNot() {
        CompletableFuture<String> first = holdingTheOnlyPlace();
        CompletableFuture<String> second =
                asked(new LongWork(LongWork.Kind.HISTORY, "domains/shop", 1), progress -> "");
        await().atMost(Service.PATIENCE)
                .until(() ->
                        second.isDone() || service.get(PATH).json().get("items").size() == 2);
        assertThatThrownBy(second::join).hasMessageContaining("headgate.limits.long-requests");
        assertThat(only().get("kind").asString()).isEqualTo("export");
        end.countDown();
        assertThat(first.join()).isEqualTo("first");
    }

    /** Until the test lets it end. */
    private CompletableFuture<String> holdingTheOnlyPlace() {
        CountDownLatch told = new CountDownLatch(1);
        CompletableFuture<String> first = asked(new LongWork(LongWork.Kind.EXPORT, "", 1), progress -> {
            told.countDown();
            until(end);
            return "first";
        });
        until(told);
        return first;
    }

    @Test
    void movingSetsToAVersionOfAPluginIsOne() {
        String version = service.get("/policy-plugins")
                .json()
                .get("items")
                .valueStream()
                .filter(plugin -> plugin.get("id").asString().equals("fixed"))
                .findFirst()
                .orElseThrow()
                .get("version")
                .asString();
        String adopt = "/policy-plugins/fixed/" + version + "/adopt";
        CompletableFuture<String> first = holdingTheOnlyPlace();
        for (String path : List.of(adopt, adopt + "/plan")) {
            Service.Answer refused = service.post(path, "{}");
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.json().get("detail").asString()).contains("headgate.limits.long-requests");
        }
        end.countDown();
        assertThat(first.join()).isEqualTo("first");
        for (String path : List.of(adopt, adopt + "/plan")) {
            assertThat(service.post(path, "{}").expect(200).json().get("items")).isEmpty();
        }
    }

    @Test
    void whatHasEndedIsNotFound() {
        Service.Answer answer = service.post(PATH + "/none/cancel", null);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().get("detail").asString()).contains("long request", "none");
    }

    private static JsonNode only() {
        JsonNode items = service.get(PATH).expect(200).json().get("items");
        assertThat(items.size()).as(items.toString()).isEqualTo(1);
        return items.get(0);
    }

    private static CompletableFuture<String> asked(LongWork what, Function<Progress, String> work) {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Thread.ofVirtual()
                .start(() -> service.bean(Access.class).actAs(Actor.READER, () -> {
                    try {
                        answer.complete(requests.answer(what, work));
                    } catch (RuntimeException e) {
                        answer.completeExceptionally(e);
                    }
                }));
        return answer;
    }

    private static void until(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
