package dev.headgate.wire.session;

import java.util.Set;

/** What is special about some settings. */
final class Settings {

    /** Reported by every supported server, so their values are known however they were set. */
    static final Set<String> CARRIED_BY_REPORT = Set.of(
            "application_name",
            "client_encoding",
            "datestyle",
            "intervalstyle",
            "timezone",
            "standard_conforming_strings");

    /** RESET ALL leaves it as it is. */
    static final String ROLE = "role";

    private Settings() {}
}
