package dev.headgate.server.policies;

import dev.headgate.spi.PolicyFactory;

/**
 * One plugin that is installed.
 *
 * @param id as written in policy sets
 * @param source the name of the jar it came in
 * @param sha256 of the very bytes that were loaded, in lower-case hexadecimal
 * @param parameterSchema a JSON Schema that was found to be one
 */
record InstalledPlugin(
        String id,
        String version,
        String description,
        String source,
        String sha256,
        String parameterSchema,
        PolicyFactory factory) {}
