package dev.headgate.server.plugins;

import dev.headgate.spi.PolicyFactory;

/**
 * One version of a plugin that is installed.
 *
 * @param id as written in policy sets
 * @param version as written there too; beside others of the same id
 * @param source the name of the jar it came in
 * @param sha256 of the very bytes that were loaded, in lower-case hexadecimal
 * @param builtIn whether it came with the service, in the plugin folder it was started with, and not by upload
 * @param schema of its parameters
 */
public record InstalledPlugin(
        String id,
        PluginVersion version,
        String description,
        String source,
        String sha256,
        boolean builtIn,
        ParameterSchema schema,
        PolicyFactory factory) {

    /** "fixed 1.2.3" */
    public String label() {
        return id + " " + version;
    }
}
