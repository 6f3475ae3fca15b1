package dev.headgate.wire;

import java.util.List;

/**
 * The operations of the console, except those on the port's own clients. Called on the console's virtual thread. May block.
 */
public interface Operations {

    /** An action on a domain, as in the REST API. */
    enum Action {
        PAUSE,
        RESUME,
        /** Replaces every connection: free ones now, leased ones when they are released. */
        RECONNECT
    }

    /** Every domain that clients can connect to, by name. */
    List<Directory.Domain> domains();

    /** How many credentials all domains together have. */
    int users();

    /**
     * Does the action, and records in the audit log who did it.
     *
     * @throws IllegalArgumentException if there is no such domain
     */
    void act(Action action, String domain, String user);

    /** Headgate's version. */
    String version();
}
