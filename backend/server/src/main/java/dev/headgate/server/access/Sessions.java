package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import dev.headgate.server.store.Journal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The browsers' sessions. An id contains its end and is signed (HMAC-SHA-256, RFC 2104) with a key derived from the token that it was
 * opened with. So sessions survive a restart of the service, and a new token ends all of them. Closed sessions are stored until they would
 * have ended, in {@code ended-sessions} in the data folder, so that they stay closed after a restart. Where a token has closed very
 * many, those that would end first are no longer known one by one: every session of the token that would end no later is closed. Safe
 * for any thread.
 */
@Component
final class Sessions {

    /** The end of the claim of a reader's session. */
    private static final String READER = ".reader";

    /** Of one token: at most so many closed sessions are known one by one. */
    static final int MOST_CLOSED = 10_000;

    /** In the file, in place of a signature: every session. */
    private static final String ALL = "*";

    /** The closed sessions of one token. Any thread reads; changes are guarded by the sessions. */
    private static final class Closed {

        /** The regular end of each, by the signature of its id. */
        private final ConcurrentMap<String, Instant> ends = new ConcurrentHashMap<>();

        /** Sessions that would end no later than this are closed. */
        private volatile Instant allUntil = Instant.EPOCH;

        boolean contains(String id) {
            return ends.containsKey(signatureOf(id)) || !Sessions.ends(id).isAfter(allUntil);
        }

        void take(String signature, Instant end) {
            if (!signature.equals(ALL)) {
                ends.put(signature, end);
            } else if (end.isAfter(allUntil)) {
                allUntil = end;
            }
        }

        /** Forgets what has ended, and half of them where there are too many. */
        void forget(Instant now) {
            ends.values().removeIf(end -> end.isBefore(now));
            if (ends.size() > MOST_CLOSED) {
                allUntil = ends.values().stream()
                        .sorted()
                        .skip(MOST_CLOSED / 2)
                        .findFirst()
                        .orElseThrow();
                ends.values().removeIf(end -> !end.isAfter(allUntil));
            }
        }

        Stream<String> lines(Actor bearer) {
            Stream<String> each = ends.entrySet().stream().map(one -> line(one.getKey(), one.getValue(), bearer));
            return allUntil.equals(Instant.EPOCH) ? each : Stream.concat(Stream.of(line(ALL, allUntil, bearer)), each);
        }
    }

    private final Duration lifetime;
    private final Clock clock;
    private final SecretKeySpec key;
    private final SecretKeySpec readerKey;
    private final Journal journal;
    private final Map<Actor, Closed> closed = Map.of(Actor.ADMIN, new Closed(), Actor.READER, new Closed());

    @Autowired
    Sessions(HeadgateProperties properties, AdminToken token, ReaderToken readerToken, DataFolder data) {
        this(
                properties.access().sessionLifetime(),
                Clock.systemUTC(),
                token.value(),
                readerToken.value(),
                data.path().resolve("ended-sessions"));
    }

    /** @param file stores closed sessions; need not exist */
    Sessions(Duration lifetime, Clock clock, String token, String readerToken, Path file) {
        this.lifetime = lifetime;
        this.clock = clock;
        this.journal = new Journal(file);
        read(file);
        tidy();
        this.key = new SecretKeySpec(("headgate session " + token).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        this.readerKey =
                new SecretKeySpec(("headgate reader " + readerToken).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    }

    /** Opens a session for the bearer of a token. */
    String open(Actor bearer) {
        long seconds = Math.max(
                clock.instant().plus(lifetime).getEpochSecond(),
                closed(bearer).allUntil.getEpochSecond() + 1); // later only if the lifetime was longer before
        String claim = seconds + "." + AdminToken.random() + (bearer.isReader() ? READER : "");
        return claim + "." + signature(claim);
    }

    /** Whose session it is, of an id that Headgate issued. */
    Actor actor(String id) {
        return id.substring(0, id.lastIndexOf('.')).endsWith(READER) ? Actor.READER : Actor.ADMIN;
    }

    boolean isOpen(String id) {
        return wasOpened(id)
                && ends(id).isAfter(clock.instant())
                && !closed(actor(id)).contains(id);
    }

    /** Whether Headgate issued an id, valid or not. */
    boolean wasOpened(String id) {
        int dot = id.lastIndexOf('.');
        return dot >= 0 && matches(signature(id.substring(0, dot)), signatureOf(id));
    }

    /** @throws java.io.UncheckedIOException if it cannot be stored; the session is closed until the next restart */
    synchronized void close(String id) {
        if (!isOpen(id)) {
            return;
        }
        Closed ofToken = closed(actor(id));
        ofToken.take(signatureOf(id), ends(id));
        journal.append(line(signatureOf(id), ends(id), actor(id)));
        if (ofToken.ends.size() > MOST_CLOSED) {
            tidy();
        }
    }

    private void tidy() {
        closed.values().forEach(each -> each.forget(clock.instant()));
        journal.rewrite(closed.entrySet().stream()
                .flatMap(each -> each.getValue().lines(each.getKey()))
                .toList());
    }

    private Closed closed(Actor bearer) {
        return Objects.requireNonNull(closed.get(bearer));
    }

    private static String line(String signature, Instant end, Actor bearer) {
        return end.getEpochSecond() + " " + signature + " " + bearer.name();
    }

    private void read(Path file) {
        try {
            for (String line : journal.read()) {
                String[] words = line.split(" ", -1);
                Instant end = Instant.ofEpochSecond(Long.parseLong(words[0]));
                closed.forEach((bearer, ofToken) -> {
                    if (words.length == 2
                            || words[2].equals(bearer.name())) { // a file of before does not tell whose it was
                        ofToken.take(words[1], end);
                    }
                });
            }
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            throw new CannotStart(
                    "The file " + file
                            + " cannot be used: remove it, and admin-token with it, which ends every session.",
                    e);
        }
    }

    private static String signatureOf(String id) {
        return id.substring(id.lastIndexOf('.') + 1);
    }

    /** The end of a session, from an id with a valid signature. */
    private static Instant ends(String id) {
        return Instant.ofEpochSecond(Long.parseLong(id.substring(0, id.indexOf('.'))));
    }

    private static boolean matches(String expected, String offered) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), offered.getBytes(StandardCharsets.UTF_8));
    }

    private String signature(String claim) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(claim.endsWith(READER) ? readerKey : key);
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(claim.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is part of every JDK", e);
        }
    }
}
