package dev.headgate.server.sql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.headgate.server.access.Access;
import dev.headgate.wire.Directory;
import dev.headgate.wire.WireSettings;
import dev.headgate.wire.auth.PasswordChecks;
import dev.headgate.wire.auth.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.stereotype.Component;

/**
 * Checks the passwords of the wire port's clients where they come with every request. A check by the SCRAM verifier takes
 * milliseconds on purpose, so a password that was right is remembered while it is used: as a keyed hash, with a key of this process. An
 * address that is slowed down gets no check, but what was right from there goes on. Safe for any thread.
 */
@Component
final class ClientPasswords {

    private static final String HASH = "HmacSHA256";
    private static final int MOST = 10_000;
    private static final Duration REMEMBERED = Duration.ofMinutes(10);

    /** A password that was right for a verifier, as an address has shown it. */
    private record Proof(String address, ScramVerifier verifier, String hash) {}

    private final Directory directory;
    private final Access access;
    private final PasswordChecks checks = new PasswordChecks(WireSettings.defaultLoops());
    private final SecretKeySpec key;

    /** Of a password that nobody knows: an unknown user takes as long as a known one. */
    private final ScramVerifier nobodys;

    private final Cache<Proof, Boolean> right = Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfterAccess(REMEMBERED)
            .build();

    ClientPasswords(Directory directory, Access access) {
        this.directory = directory;
        this.access = access;
        SecureRandom random = new SecureRandom();
        byte[] secret = new byte[32];
        random.nextBytes(secret);
        this.key = new SecretKeySpec(secret, HASH);
        random.nextBytes(secret);
        this.nobodys = ScramVerifier.of(HexFormat.of().formatHex(secret), random);
    }

    /**
     * Whether the domain has such a client with this password. May take some milliseconds of the processor.
     *
     * @param address of the caller
     */
    boolean areRight(String address, String domain, String user, String password) throws PasswordChecks.Busy {
        Optional<ScramVerifier> known = directory.client(domain, user);
        ScramVerifier verifier = known.orElse(nobodys);
        Proof proof = new Proof(address, verifier, hash(password));
        if (right.getIfPresent(proof) != null) {
            return true;
        }
        if (checks.passes(() -> !access.isSlowed(address) && verifier.matches(password)) && known.isPresent()) {
            right.put(proof, Boolean.TRUE);
            return true;
        }
        return false;
    }

    private String hash(String password) {
        try {
            Mac mac = Mac.getInstance(HASH);
            mac.init(key);
            return HexFormat.of().formatHex(mac.doFinal(password.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
