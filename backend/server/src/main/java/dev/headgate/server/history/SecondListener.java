package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.server.api.Second;

/** Told of every second of every domain when it is over, on the feed's thread. The rules of its {@code Listener} hold. */
public interface SecondListener {

    void second(Pool pool, Second second);
}
