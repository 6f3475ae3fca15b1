package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The browsers' sessions. An id contains its end and is signed (HMAC-SHA-256, RFC 2104) with a key derived from the token that it was
 * opened with. So sessions survive a restart of the service, and a new token ends all of them. Closed sessions are stored until they would
 * have ended, in {@code ended-sessions} in the data folder, so that they stay closed after a restart. Safe for any thread.
 */
@Component
final class Sessions {

    /** The end of the claim of a reader's session. */
    private static final String READER = ".reader";

    private final Duration lifetime;
    private final Clock clock;
    private final SecretKeySpec key;
    private final SecretKeySpec readerKey;
    private final Path file;

    /** The regular end of each closed session, by the signature of its id. */
    private final ConcurrentMap<String, Instant> closed = new ConcurrentHashMap<>();

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
        this.file = file;
        closed.putAll(read(file));
        this.lifetime = lifetime;
        this.clock = clock;
        this.key = new SecretKeySpec(("headgate session " + token).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
        this.readerKey =
                new SecretKeySpec(("headgate reader " + readerToken).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    }

    /** Opens a session for the bearer of a token. */
    String open(Actor bearer) {
        String claim = clock.instant().plus(lifetime).getEpochSecond()
                + "."
                + AdminToken.random()
                + (bearer.isReader() ? READER : "");
        return claim + "." + signature(claim);
    }

    /** Whose session it is, of an id that Headgate issued. */
    Actor actor(String id) {
        return id.substring(0, id.lastIndexOf('.')).endsWith(READER) ? Actor.READER : Actor.ADMIN;
    }

    boolean isOpen(String id) {
        return wasOpened(id) && ends(id).isAfter(clock.instant()) && !closed.containsKey(signatureOf(id));
    }

    /** Whether Headgate issued an id, valid or not. */
    boolean wasOpened(String id) {
        int dot = id.lastIndexOf('.');
        return dot >= 0 && matches(signature(id.substring(0, dot)), signatureOf(id));
    }

    /** @throws UncheckedIOException if it cannot be stored; the session is closed until the next restart */
    synchronized void close(String id) {
        Instant now = clock.instant();
        closed.values().removeIf(ends -> ends.isBefore(now));
        if (isOpen(id)) {
            closed.put(signatureOf(id), ends(id));
            write();
        }
    }

    private void write() {
        List<String> lines = closed.entrySet().stream()
                .map(each -> each.getValue().getEpochSecond() + " " + each.getKey())
                .toList();
        Path next = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.write(next, lines);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Instant> read(Path file) {
        Map<String, Instant> ends = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int space = line.indexOf(' ');
                ends.put(line.substring(space + 1), Instant.ofEpochSecond(Long.parseLong(line.substring(0, space))));
            }
            return ends;
        } catch (NoSuchFileException e) {
            return Map.of();
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
