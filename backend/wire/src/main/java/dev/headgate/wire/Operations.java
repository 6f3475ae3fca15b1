package dev.headgate.wire;

import java.util.List;

/**
 * What the console shows and does, besides the port's own clients. Called on the console's virtual thread; may block.
 */
public interface Operations {

    /** An action on a domain, as REST has it. */
    enum Action {
        PAUSE,
        RESUME,
        /** Replaces every connection: free ones now, leased ones when they come back. */
        RECONNECT
    }

    /** Every domain that can be connected to, by name. */
    List<Directory.Domain> domains();

    /**
     * Does it, and keeps in the audit who did.
     *
     * @throws IllegalArgumentException if there is no such domain
     */
    void act(Action action, String domain, String user);

    /** Of Headgate. */
    String version();
}
