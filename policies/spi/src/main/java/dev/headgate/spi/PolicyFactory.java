package dev.headgate.spi;

/**
 * Makes policies of one kind. Found by {@link java.util.ServiceLoader} on the plugin's own class loader, so it needs a
 * public constructor without parameters. One factory makes many policies; it must not keep them.
 */
public interface PolicyFactory {

    /** The plugin's identifier, as written in policy sets: lower-case letters, digits and dashes ("latency-cap"). */
    String id();

    /** One sentence for the people who choose a policy in the dashboard. */
    String description();

    /**
     * A JSON Schema (2020-12) of the parameters, as a JSON text whose root has {@code "type": "object"}. It validates
     * parameters before {@link #create} sees them, supplies their defaults, and draws the form in the dashboard: give
     * every property a {@code title}, a {@code description} with its unit, and its bounds.
     */
    String parameterSchema();

    /**
     * Makes a policy. The parameters have passed {@link #parameterSchema()}, with its defaults filled in; what a schema
     * cannot say (that one parameter may not exceed another) is checked here.
     *
     * @throws InvalidParametersException naming every fault that was found; nothing changes then
     */
    Policy create(Parameters parameters);
}
