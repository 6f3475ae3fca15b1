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
        this.value = folder.secretFile("admin-token", AdminToken::random);
        if (value.length() < SHORTEST) {
            throw new CannotStart(
                    "The file admin-token in " + folder.path() + " holds fewer than " + SHORTEST
                            + " characters; remove it to have one made.",
                    CannotStart.EXIT_FAILED);
        }
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
