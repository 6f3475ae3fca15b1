package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.api.WhenExhaustedJson;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.spi.WhenExhausted;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads what a set does when its pool is exhausted. The default is to queue for a domain, and none for a database's set. */
final class WhenExhaustedReader {

    private static final long LONGEST_TIMEOUT_MS = TimeUnit.HOURS.toMillis(1);
    private static final int DEEPEST_QUEUE = 1_000_000;
    private static final long DEFAULT_TIMEOUT_MS = 5_000;
    private static final int DEFAULT_DEPTH = 1_000;
    private static final WhenExhaustedJson DEFAULT = new WhenExhaustedJson("queue", DEFAULT_TIMEOUT_MS, DEFAULT_DEPTH);

    private WhenExhaustedReader() {}

    /** A stored set with its top-level defaults filled in. */
    static PolicySetRequest withDefaults(PolicySetRequest set, Scope scope) {
        return set.whenExhausted() == null && scope.kind() == Scope.Kind.DOMAIN
                ? new PolicySetRequest(set.policies(), DEFAULT, set.comment())
                : set;
    }

    static @Nullable WhenExhaustedJson read(@Nullable WhenExhaustedJson given, Scope scope, Faults faults) {
        if (given == null) {
            return scope.kind() == Scope.Kind.DOMAIN ? DEFAULT : null;
        }
        boolean valid = true;
        if (given.mode() == null || !given.mode().matches("queue|fail|reject")) {
            faults.add(Fault.at(
                    "/whenExhausted/mode",
                    given.mode() == null ? "is missing" : "cannot be '" + given.mode() + "'",
                    "queue, fail, reject"));
            valid = false;
        }
        long timeoutMs = given.timeoutMs() == null ? DEFAULT_TIMEOUT_MS : given.timeoutMs();
        int depth = given.depth() == null ? DEFAULT_DEPTH : given.depth();
        if (timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS) {
            faults.add(Fault.at(
                    "/whenExhausted/timeoutMs",
                    "must be 1 to " + LONGEST_TIMEOUT_MS + ", was " + timeoutMs,
                    "1.." + LONGEST_TIMEOUT_MS));
            valid = false;
        }
        if (depth < 0 || depth > DEEPEST_QUEUE) {
            faults.add(Fault.at(
                    "/whenExhausted/depth", "must be 0 to " + DEEPEST_QUEUE + ", was " + depth, "0.." + DEEPEST_QUEUE));
            valid = false;
        }
        return valid ? new WhenExhaustedJson(given.mode(), timeoutMs, depth) : DEFAULT;
    }

    static WhenExhausted engine(@Nullable WhenExhaustedJson json) {
        if (json == null || json.timeoutMs() == null || json.depth() == null) {
            return WhenExhausted.unbounded();
        }
        return new WhenExhausted(
                WhenExhausted.Mode.valueOf(json.mode().toUpperCase(Locale.ROOT)),
                TimeUnit.MILLISECONDS.toNanos(json.timeoutMs()),
                json.depth());
    }
}
