package dev.headgate.wire.session;

import java.util.Set;

/** What the server tells of settings by itself. */
final class Settings {

    /** Reported by every supported server, so that it is known what they are however they were set. */
    static final Set<String> CARRIED_BY_REPORT = Set.of(
            "application_name",
            "client_encoding",
            "datestyle",
            "intervalstyle",
            "timezone",
            "standard_conforming_strings");

    private Settings() {}
}
