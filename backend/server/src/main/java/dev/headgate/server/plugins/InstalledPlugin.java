package dev.headgate.server.plugins;

import dev.headgate.spi.PolicyFactory;

/**
 * One installed version of a plugin.
 *
 * @param id as written in policy sets
 * @param version as written in policy sets; several versions of an id may be installed
 * @param source the name of its jar
 * @param sha256 of the loaded bytes, in lower-case hexadecimal
 * @param builtIn whether it is from the service's plugin folder, not uploaded
 * @param bytes an estimate of the memory that it holds: its unpacked jar, and what is made of it
 * @param schema of its parameters
 */
public record InstalledPlugin(
        String id,
        PluginVersion version,
        String description,
        String source,
        String sha256,
        boolean builtIn,
        long bytes,
        ParameterSchema schema,
        PolicyFactory factory) {

    /** "fixed 1.2.3" */
    public String label() {
        return id + " " + version;
    }
}
