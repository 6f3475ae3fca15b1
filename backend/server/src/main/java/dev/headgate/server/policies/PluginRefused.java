package dev.headgate.server.policies;

import org.jspecify.annotations.Nullable;

/** A jar that cannot be used as a plugin. The reason continues a sentence that begins with the jar's name. */
final class PluginRefused extends Exception {

    private static final long serialVersionUID = 1;

    private final String reason;

    PluginRefused(String reason) {
        this(reason, null);
    }

    PluginRefused(String reason, @Nullable Throwable cause) {
        super(reason, cause);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
