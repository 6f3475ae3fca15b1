package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.headgate.engine.Engine;
import dev.headgate.server.RawHttp.Answer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What must hold of a service under hostile inputs: an answer is less than 500, a refusal is a problem with a 4xx, nothing is logged as
 * a defect, and afterwards there are no more threads, files, sockets and leases than before. Watches the log until it is closed. Safe
 * for any thread.
 */
final class HostileWatch implements AutoCloseable {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Service service;
    private final Path data;
    private final List<String> defects = new CopyOnWriteArrayList<>();

    private final AppenderBase<ILoggingEvent> listener = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
                defects.add(event.getLoggerName() + ": " + event.getFormattedMessage() + " " + stack(event));
            }
        }
    };

    /** @param data the service's data folder */
    HostileWatch(Service service, Path data) {
        this.service = service;
        this.data = data;
        listener.setContext(root().getLoggerContext());
        listener.start();
        root().addAppender(listener);
    }

    private static Logger root() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    @Override
    public void close() {
        root().detachAppender(listener);
    }

    private static String stack(ILoggingEvent event) {
        return event.getThrowableProxy() == null
                ? ""
                : ch.qos.logback.classic.spi.ThrowableProxyUtil.asString(event.getThrowableProxy());
    }

    /** Forgets what was logged before. */
    void forgetDefects() {
        defects.clear();
    }

    /** @throws AssertionError with what was logged as a defect */
    void requireNoDefect() {
        if (!defects.isEmpty()) {
            throw new AssertionError("logged: " + defects);
        }
    }

    /** What a service holds. */
    record Held(Map<String, Integer> threads, long handles, Set<String> files) {}

    Held held() throws IOException {
        System.gc(); // what a class loader of a plugin held
        return new Held(threads(), handles(), files());
    }

    /** Waits until no lease is left, and the service holds no more than before. */
    void requireNothingLeft(Held before) {
        await().atMost(Service.PATIENCE).untilAsserted(() -> {
            Held now = held();
            assertThat(leases()).as("leases").isZero();
            assertThat(more(before.threads(), now.threads())).as("threads").isEmpty();
            assertThat(now.handles()).as("open files and sockets").isLessThan(before.handles() + 30);
            assertThat(now.files()).as("files in the data folder").isEqualTo(before.files());
        });
        requireNoDefect();
        service.get("/domains").expect(200);
    }

    private long leases() {
        return service.bean(Engine.class).databases().stream()
                .flatMap(database -> database.pools().stream())
                .mapToLong(pool -> pool.status().inUse())
                .sum();
    }

    /** By name without numbers; those of the HTTP server come and go. */
    private static Map<String, Integer> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(thread -> thread.getName().replaceAll("[0-9]+", "#"))
                .filter(name ->
                        !name.startsWith("http-") && !name.startsWith("HttpClient") && !name.startsWith("ForkJoin"))
                .collect(Collectors.toMap(name -> name, name -> 1, Integer::sum, TreeMap::new));
    }

    private static List<String> more(Map<String, Integer> before, Map<String, Integer> after) {
        return after.entrySet().stream()
                .filter(each -> each.getValue() > before.getOrDefault(each.getKey(), 0) + 2)
                .map(each -> each.getKey() + ": " + before.get(each.getKey()) + " -> " + each.getValue())
                .toList();
    }

    private static long handles() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getOpenFileDescriptorCount()
                : 0;
    }

    private Set<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(data)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> data.relativize(file).toString())
                    .filter(name -> !name.startsWith("postgres"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /**
     * Judges an answer.
     *
     * @param answer null where the server closed the connection without one: what came was no request at all
     * @param isNeon whether a refusal may be one that Neon's driver reads, instead of a problem
     * @throws AssertionError if it is none that may be
     */
    void judge(@Nullable Answer answer, byte[] request, boolean isNeon) {
        if (answer == null) {
            return;
        }
        boolean isRefusal = answer.status() >= 400;
        boolean isJson = answer.contentType().startsWith("application/json");
        if (answer.status() >= 500) {
            throw fault(answer, request, "is no refusal");
        }
        if (isRefusal && answer.body().isEmpty()) {
            require(shown(request).startsWith("HEAD "), answer, request, "has no problem");
        } else if (isRefusal && isNeon && isJson) {
            JsonNode refusal = JSON.readTree(answer.body());
            require(!refusal.get("message").asString().isEmpty(), answer, request, "has no message");
        } else if (isRefusal) {
            require(answer.contentType().startsWith("application/problem+json"), answer, request, "has no problem");
            JsonNode problem = JSON.readTree(answer.body());
            require(problem.get("status").asInt() == answer.status(), answer, request, "has another status");
            require(!problem.get("title").asString().isEmpty(), answer, request, "has no title");
        } else if (isJson) {
            JSON.readTree(answer.body());
        }
    }

    private void require(boolean holds, Answer answer, byte[] request, String fault) {
        if (!holds) {
            throw fault(answer, request, fault);
        }
    }

    private AssertionError fault(Answer answer, byte[] request, String fault) {
        return new AssertionError(answer + " " + fault + ", to " + shown(request) + defects);
    }

    private String shown(byte[] request) {
        String text = new String(request, 0, Math.min(3_000, request.length), StandardCharsets.ISO_8859_1);
        return text.replace(service.token(), "TOKEN");
    }

    /** Deletes domains, databases and plugins that inputs have made, but those with a name that stays. */
    void clear(Predicate<String> stays) {
        for (JsonNode each : service.get("/domains").expect(200).json().get("items")) {
            String name = each.get("name").asString();
            if (!stays.test(name)) {
                service.delete("/domains/" + name).expect(204);
            }
        }
        for (JsonNode each : service.get("/databases").expect(200).json().get("items")) {
            String name = each.get("name").asString();
            if (!stays.test(name)) {
                service.delete("/databases/" + name).expect(204);
            }
        }
        for (JsonNode each : service.get("/policy-plugins").expect(200).json().get("items")) {
            if (!each.get("builtIn").asBoolean()) {
                service.delete("/policy-plugins/" + each.get("id").asString() + "/"
                        + each.get("version").asString());
            }
        }
    }
}
