package dev.headgate.server.alarms;

import java.time.Instant;
import java.util.Optional;

/** A condition of the whole service that concerns every domain. */
interface Condition {

    /** The alarm's code, such as "wire-stalled". */
    String code();

    /** The alarm's message while the condition holds. Called once a second on the feed's thread. */
    Optional<String> message(Instant now);
}
