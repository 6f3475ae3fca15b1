package dev.headgate.wire.session;

import java.util.Set;

/** The settings that the server reports by itself. */
final class Settings {

    /** Reported by every supported server, so their values are known however they were set. */
    static final Set<String> CARRIED_BY_REPORT = Set.of(
            "application_name",
            "client_encoding",
            "datestyle",
            "intervalstyle",
            "timezone",
            "standard_conforming_strings");

    private Settings() {}
}
