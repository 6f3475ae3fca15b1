package dev.headgate.lab.load;

import dev.headgate.lab.Client;

/** One request of a load. Safe for use by several threads, each with its own client. */
@FunctionalInterface
public interface Action {

    /** How a request ended. One that throws has {@link #FAILED}. */
    enum Answer {
        DONE,
        /** Turned away at once, before any work. */
        REFUSED,
        FAILED
    }

    /** Blocks until the request has ended. */
    Answer run(Client client) throws Exception;
}
