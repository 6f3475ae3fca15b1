package dev.headgate.wire.auth;

import com.ongres.scram.common.ScramFunctions;
import com.ongres.scram.common.ScramMechanism;
import com.ongres.scram.common.StringPreparation;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The stored form of a password: enough to check a proof of it, not enough to make one (RFC 5802, RFC 7677). Its text has
 * PostgreSQL's own form, {@code SCRAM-SHA-256$iterations:salt$storedKey:serverKey}, so a verifier can be copied from
 * {@code pg_authid}.
 */
public final class ScramVerifier {

    static final ScramMechanism MECHANISM = ScramMechanism.SCRAM_SHA_256;

    private static final int ITERATIONS = 4096;
    private static final int SALT_BYTES = 16;
    private static final Pattern TEXT = Pattern.compile(
            "SCRAM-SHA-256\\$([1-9][0-9]{0,8}):([A-Za-z0-9+/=]+)\\$([A-Za-z0-9+/=]+):([A-Za-z0-9+/=]+)");

    private final int iterations;
    private final byte[] salt;
    private final byte[] storedKey;
    private final byte[] serverKey;

    private ScramVerifier(int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
        this.iterations = iterations;
        this.salt = salt;
        this.storedKey = storedKey;
        this.serverKey = serverKey;
    }

    /** Makes a verifier for a password, with a new salt. Takes some milliseconds on purpose. */
    public static ScramVerifier of(String password, SecureRandom random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return of(password, salt, ITERATIONS);
    }

    static ScramVerifier of(String password, byte[] salt, int iterations) {
        byte[] salted = ScramFunctions.saltedPassword(
                MECHANISM, StringPreparation.POSTGRESQL_PREPARATION, password.toCharArray(), salt, iterations);
        return new ScramVerifier(
                iterations,
                salt,
                ScramFunctions.storedKey(MECHANISM, ScramFunctions.clientKey(MECHANISM, salted)),
                ScramFunctions.serverKey(MECHANISM, salted));
    }

    /** @throws IllegalArgumentException if the text is not a verifier; the message does not contain the text */
    public static ScramVerifier parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("not a SCRAM-SHA-256 verifier");
        }
        Base64.Decoder decoder = Base64.getDecoder();
        return new ScramVerifier(
                Integer.parseInt(parts.group(1)),
                decoder.decode(parts.group(2)),
                decoder.decode(parts.group(3)),
                decoder.decode(parts.group(4)));
    }

    /** The text to store. */
    public String text() {
        Base64.Encoder encoder = Base64.getEncoder();
        return "SCRAM-SHA-256$%d:%s$%s:%s"
                .formatted(
                        iterations,
                        encoder.encodeToString(salt),
                        encoder.encodeToString(storedKey),
                        encoder.encodeToString(serverKey));
    }

    /** Whether this is the verifier of that password. Takes some milliseconds of the processor, also for what cannot be a password. */
    public boolean matches(String password) {
        boolean possible = !isEmpty(password);
        ScramVerifier other = of(possible ? password : "nobody's", salt, iterations);
        return possible && MessageDigest.isEqual(other.storedKey, storedKey);
    }

    /** Whether nothing is left of a password once it is prepared by SASLprep (RFC 4013). The library fails where that is so. */
    private static boolean isEmpty(String password) {
        try {
            return StringPreparation.POSTGRESQL_PREPARATION.normalize(password.toCharArray()).length == 0;
        } catch (IllegalArgumentException | IndexOutOfBoundsException nothingIsLeft) {
            return true;
        }
    }

    int iterations() {
        return iterations;
    }

    byte[] salt() {
        return Arrays.copyOf(salt, salt.length);
    }

    boolean accepts(byte[] proof, String authMessage) {
        return proof.length == storedKey.length
                && ScramFunctions.verifyClientProof(MECHANISM, proof, storedKey, authMessage);
    }

    byte[] serverSignature(String authMessage) {
        return ScramFunctions.serverSignature(MECHANISM, serverKey, authMessage);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ScramVerifier that
                && iterations == that.iterations
                && Arrays.equals(salt, that.salt)
                && Arrays.equals(storedKey, that.storedKey)
                && Arrays.equals(serverKey, that.serverKey);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(salt);
    }

    /** Does not contain the secret. */
    @Override
    public String toString() {
        return "ScramVerifier";
    }
}
