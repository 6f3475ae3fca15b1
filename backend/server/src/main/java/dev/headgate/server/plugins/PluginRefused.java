package dev.headgate.server.plugins;

/**
 * A jar that cannot be used as a plugin. The reason continues a sentence that begins with the jar's name. It has no cause, which might
 * be of a class of the plugin and keep its class loader.
 */
final class PluginRefused extends Exception {

    private static final long serialVersionUID = 1;

    private final String reason;

    PluginRefused(String reason) {
        super(reason);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
