package dev.headgate.simulator;

import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Latency;

/** Told what happens, window by window: whoever keeps a long run keeps figures of it, and not all that it was told. */
public interface Witness {

    /** A window of a domain has ended. */
    void window(String domain, Run.Row row, Latency responses);

    /** The governor has decided something. */
    void decided(Decision decision);

    /** The governor has ended a step. */
    default void stepped() {}
}
