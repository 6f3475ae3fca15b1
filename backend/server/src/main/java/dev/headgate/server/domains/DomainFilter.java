package dev.headgate.server.domains;

import dev.headgate.engine.governor.PoolStatus;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which domains to list. Null fields match everything.
 *
 * @param database the domain is on
 * @param q part of the name
 * @param label that the domain has: "NAME:VALUE", or "NAME" for any value
 * @param state of the pool: "open", "paused" or "draining"
 * @param alarm the code of an alarm that is raised on it; {@link #ANY_ALARM} for any
 */
record DomainFilter(
        @Nullable String database,
        @Nullable String q,
        @Nullable String label,
        @Nullable String state,
        @Nullable String alarm) {

    static final String ANY_ALARM = "any";

    @Nullable
    String labelName() {
        return label == null ? null : label.split(":", 2)[0];
    }

    /** Null for any value. */
    @Nullable
    String labelValue() {
        return label == null || !label.contains(":") ? null : label.substring(label.indexOf(':') + 1);
    }

    /** Whether the filter needs the pool's status. */
    boolean asksForPool() {
        return state != null || alarm != null;
    }

    boolean matches(PoolStatus status) {
        return (state == null || state.equals(status.state().name().toLowerCase(Locale.ROOT)))
                && (alarm == null
                        || status.alarms().stream()
                                .anyMatch(raised -> alarm.equals(ANY_ALARM) || alarm.equals(raised.code())));
    }
}
