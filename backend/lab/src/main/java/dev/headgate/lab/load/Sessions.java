package dev.headgate.lab.load;

import dev.headgate.lab.Client;
import java.util.Iterator;
import java.util.List;

/** Where the users of a load come from. Safe for use by several threads. */
@FunctionalInterface
public interface Sessions {

    /**
     * Begins a user's session: what the user asks for, one request after another; at least one. It is used by the client's thread alone,
     * and may draw from its random numbers.
     */
    Iterator<Action> begin(Client client);

    /** Sessions of one request each. */
    static Sessions of(Action action) {
        List<Action> one = List.of(action);
        return client -> one.iterator();
    }
}
