package dev.headgate.engine.governor;

import dev.headgate.spi.Window;
import java.time.Instant;

/** Told what a governor does, on its thread; must not block. */
public interface GovernorListener {

    GovernorListener NONE = new GovernorListener() {};

    default void window(GovernedPool pool, Instant end, Window window) {}

    default void decided(Decision decision) {}
}
