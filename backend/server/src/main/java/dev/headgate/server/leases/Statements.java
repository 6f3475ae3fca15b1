package dev.headgate.server.leases;

import dev.headgate.protocol.Fingerprint;
import org.jspecify.annotations.Nullable;

/** How a statement is shown: as its fingerprint, the same that the audit has of SQL over HTTP. */
final class Statements {

    private static final int LONGEST = 500;

    private Statements() {}

    static @Nullable String shown(@Nullable String text) {
        return text == null ? null : Fingerprint.of(text, LONGEST);
    }
}
