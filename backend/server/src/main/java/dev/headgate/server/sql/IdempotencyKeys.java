package dev.headgate.server.sql;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.store.DataFolder;
import jakarta.annotation.PreDestroy;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Requests that are executed once however often they are sent (draft-ietf-httpapi-idempotency-key-header). A request with a key
 * is executed whether or not its caller stays, and its answer is kept. The same request with the same key gets that answer.
 *
 * <p>A key is forgotten if its request certainly had no effect: it got no connection, the server said that it failed and undid all
 * of it, or the server said so before it executed anything. Then it may be sent again. Otherwise (the connection broke, a deadline of
 * ours, a procedure that may have committed before it failed) the key stays, with that failure as its answer.
 * Keys outlive a restart of the service, answers do not: then the same request is refused, and its caller must look for itself.
 * Safe for any thread.
 */
@Component
final class IdempotencyKeys {

    private static final Logger log = LoggerFactory.getLogger(IdempotencyKeys.class);

    /** A domain may have so large a part of all keys. */
    private static final int OF_A_DOMAIN = 2;

    /** Of a domain's digest: it stands in the file for each key. */
    private static final int DOMAIN_DIGITS = 16;

    private static final Pattern KEY = Pattern.compile("[!-~]{1,255}");
    private static final Duration RETRY = Duration.ofMinutes(1);

    private final LaterAnswers later;
    private final Access access;
    private final Clock clock;
    private final Duration kept;
    private final int most;
    private final KeyJournal journal;

    /** By the digest of caller, domain and key, the oldest first. Guarded by this. */
    private final Map<String, Use> uses = new LinkedHashMap<>();

    /** How many of them each domain has, by its digest. Guarded by this. */
    private final Map<String, Integer> ofDomains = new HashMap<>();

    /** @param answer the id of its answer; null if it was executed before a restart */
    private record Use(KeyJournal.Entry entry, @Nullable String answer) {}

    /**
     * @param answer has its caller attached, who must detach from it when it is read
     * @param again whether the request had been sent before
     */
    record Claimed(KeptAnswer answer, boolean again) {}

    IdempotencyKeys(LaterAnswers later, Access access, Clock clock, DataFolder data, HeadgateProperties properties) {
        this.later = later;
        this.access = access;
        this.clock = clock;
        this.kept = properties.sql().keys();
        this.most = properties.sql().mostKeys();
        this.journal = new KeyJournal(data.path().resolve("sql-keys"));
        journal.read().values().forEach(entry -> add(new Use(entry, null)));
    }

    @PreDestroy
    synchronized void close() {
        journal.close();
    }

    /**
     * Begins to execute a request, unless that was done before. Does not block.
     *
     * @throws ProblemException invalid-request if the key is none, or was used for another request; conflict if the answer is not
     *     kept any more; too-many-requests, unavailable; whatever begins a request throws
     */
    synchronized Claimed claim(String domain, String key, SqlRequest request) {
        if (!KEY.matcher(key).matches()) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST, "Idempotency-Key must have 1 to 255 visible ASCII characters.");
        }
        forgetTheOld();
        String digest = digest(access.actor().name() + "\n" + domain + "\n" + key);
        String fingerprint = digest(request.canonical());
        Use before = uses.get(digest);
        if (before != null) {
            KeptAnswer answer = again(before, fingerprint);
            answer.attach();
            return new Claimed(answer, true);
        }
        String ofDomain = digest(domain).substring(0, DOMAIN_DIGITS).intern();
        requirePlace(domain, ofDomain);
        KeyJournal.Entry entry =
                new KeyJournal.Entry(digest, fingerprint, clock.instant(), KeyJournal.State.began, ofDomain);
        record(entry);
        try {
            KeptAnswer answer = later.begin(domain, request, true, (ended, effect) -> ended(digest, ended, effect));
            answer.attach();
            add(new Use(entry, answer.id()));
            return new Claimed(answer, false);
        } catch (RuntimeException e) {
            forget(digest);
            throw e;
        }
    }

    private void add(Use use) {
        uses.put(use.entry().key(), use);
        ofDomains.merge(use.entry().domain(), 1, Integer::sum);
    }

    private void removed(Use use) {
        ofDomains.computeIfPresent(use.entry().domain(), (_, count) -> count == 1 ? null : count - 1);
    }

    private void requirePlace(String domain, String ofDomain) {
        int mostOfDomain = Math.max(1, most / OF_A_DOMAIN);
        if (ofDomains.getOrDefault(ofDomain, 0) >= mostOfDomain) {
            throw noPlace(
                    mostOfDomain + " keys of " + domain + " are known, as many as a domain may have",
                    uses.values().stream()
                            .filter(use -> use.entry().domain().equals(ofDomain))
                            .findFirst());
        }
        if (uses.size() >= most) {
            throw noPlace(
                    most + " keys are known, as many as may",
                    uses.values().stream().findFirst());
        }
    }

    private ProblemException noPlace(String many, Optional<Use> oldest) {
        Instant now = clock.instant();
        Instant free = oldest.map(use -> use.entry().began().plus(kept)).orElse(now);
        return ProblemException.retry(
                ProblemType.UNAVAILABLE,
                many + " (headgate.sql.most-keys). The oldest is forgotten at " + free + " (headgate.sql.keys).",
                Duration.between(now, free).plusSeconds(1));
    }

    private void record(KeyJournal.Entry entry) {
        try {
            if (journal.isUntidy(uses.size())) {
                journal.rewrite(uses.values().stream().map(Use::entry).toList());
            }
            journal.write(entry);
        } catch (UncheckedIOException e) {
            log.warn("An Idempotency-Key could not be recorded", e);
            throw ProblemException.retry(
                    ProblemType.UNAVAILABLE,
                    "The Idempotency-Key could not be recorded (" + e.getMessage() + "), so nothing was executed.",
                    RETRY);
        }
    }

    /** In the file as well, if that can be written: a restart takes the key for used otherwise, which executes nothing twice. */
    private void forget(String key) {
        try {
            journal.forget(key);
        } catch (UncheckedIOException e) {
            log.warn("It could not be recorded that an Idempotency-Key is free again", e);
        }
    }

    private KeptAnswer again(Use use, String fingerprint) {
        if (!use.entry().fingerprint().equals(fingerprint)) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    "This Idempotency-Key was used for another request.",
                    Fault.at("", "differs from the request that this Idempotency-Key was first sent with"));
        }
        KeptAnswer answer = use.answer() == null ? null : later.find(use.answer());
        if (answer == null) {
            throw ProblemException.of(ProblemType.CONFLICT, whatBecameOf(use));
        }
        return answer;
    }

    private static String whatBecameOf(Use use) {
        Instant began = use.entry().began();
        if (use.entry().state() == KeyJournal.State.ended) {
            return "The request was executed at " + began + ". Its answer is not kept any more.";
        }
        return use.answer() == null && use.entry().state() == KeyJournal.State.began
                ? "The request was being executed at " + began
                        + ", when Headgate was restarted. Whether it took effect is not known."
                : "The request was begun at " + began
                        + " and did not come to its end. Whether it took effect is not known, and its answer is not"
                        + " kept any more.";
    }

    private synchronized void ended(String key, KeptAnswer answer, SqlRun.Effect effect) {
        Use use = uses.get(key);
        if (use == null) {
            return;
        }
        if (effect == SqlRun.Effect.NONE) {
            uses.remove(key);
            removed(use);
            forget(key);
            answer.dispose();
            return;
        }
        KeyJournal.Entry entry =
                use.entry().with(effect == SqlRun.Effect.ALL ? KeyJournal.State.ended : KeyJournal.State.unknown);
        uses.put(key, new Use(entry, answer.id()));
        try {
            journal.write(entry);
        } catch (UncheckedIOException e) {
            log.warn("It could not be recorded that the request of an Idempotency-Key has ended", e);
        }
    }

    private void forgetTheOld() {
        Instant oldest = clock.instant().minus(kept);
        Iterator<Use> all = uses.values().iterator();
        for (boolean old = true; old && all.hasNext(); ) {
            Use use = all.next();
            old = use.entry().began().isBefore(oldest);
            if (old && isOver(use)) {
                all.remove();
                removed(use);
            }
        }
    }

    private boolean isOver(Use use) {
        KeptAnswer answer = use.answer() == null ? null : later.find(use.answer());
        return answer == null || answer.state() != KeptAnswer.State.running;
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every JDK", e);
        }
    }
}
