package dev.headgate.server.policies;

import dev.headgate.spi.PolicyFactory;

/** One plugin that is installed. */
record InstalledPlugin(
        String id,
        String version,
        String description,
        String source,
        String sha256,
        String parameterSchema,
        PolicyFactory factory) {}
