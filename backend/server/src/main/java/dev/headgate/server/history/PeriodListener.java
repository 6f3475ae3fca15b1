package dev.headgate.server.history;

import dev.headgate.engine.Pool;

/** Told of every second of every domain when it is over, with its distributions. The rules of {@code feed.Listener} hold. */
interface PeriodListener {

    void second(Pool pool, Period second);
}
