package dev.headgate.server.access;

import dev.headgate.server.store.DataFolder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.springframework.stereotype.Component;

/**
 * The token of those who may look at everything and change nothing, stored in {@code reader-token} in the data folder (mode 0600)
 * and generated at the first start.
 */
@Component
final class ReaderToken {

    private final String value;

    ReaderToken(DataFolder folder) {
        this.value = AdminToken.read(folder, "reader-token");
    }

    /** The token, for derived keys. Never shown. */
    String value() {
        return value;
    }

    /** Compares in constant time. */
    boolean matches(String offered) {
        return MessageDigest.isEqual(value.getBytes(StandardCharsets.UTF_8), offered.getBytes(StandardCharsets.UTF_8));
    }
}
