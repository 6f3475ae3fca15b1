package dev.headgate.server.access;

import dev.headgate.server.store.CannotStart;
import dev.headgate.server.store.DataFolder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.springframework.stereotype.Component;

/** The administrator's token, stored in {@code admin-token} in the data folder (mode 0600) and generated at the first start. */
@Component
public final class AdminToken {

    private static final int SHORTEST = 16;

    private final String value;

    AdminToken(DataFolder folder) {
        this.value = read(folder, "admin-token");
    }

    /**
     * Reads a token's file, and makes it at the first start.
     *
     * @throws CannotStart if it is too short to be a secret, such as one that was not written to its end
     */
    static String read(DataFolder folder, String name) {
        String token = folder.secretFile(name, AdminToken::random);
        if (token.length() < SHORTEST) {
            throw new CannotStart(
                    "The file " + name + " in " + folder.path() + " holds fewer than " + SHORTEST
                            + " characters; remove it to have one made.",
                    CannotStart.EXIT_FAILED);
        }
        return token;
    }

    /** The token, for derived keys and verifiers. Never shown. */
    public String value() {
        return value;
    }

    /** Compares in constant time. */
    public boolean matches(String offered) {
        return MessageDigest.isEqual(value.getBytes(StandardCharsets.UTF_8), offered.getBytes(StandardCharsets.UTF_8));
    }

    /** 256 random bits, safe in a URL. */
    static String random() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
