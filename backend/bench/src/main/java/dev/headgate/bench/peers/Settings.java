package dev.headgate.bench.peers;

import java.time.Duration;

/**
 * What is equal in all pools.
 *
 * @param least connections that the pool keeps open
 * @param most connections that it opens
 * @param patience how long a caller waits for a connection
 * @param socketTimeout how long the driver waits for an answer of the server
 * @param testing whether DBCP2 and c3p0 test a connection at each borrow. They cannot test only one that was idle for a while,
 *     as the others always do, after 500 ms (Vibur: 1 s; Headgate looks at the socket after 100 microseconds)
 */
record Settings(int least, int most, Duration patience, Duration socketTimeout, boolean testing) {

    /** The longest idle time after which a pool may skip a test. */
    static final Duration UNTESTED = Duration.ofMillis(500);

    /** A test's own timeout, and that of a connect. */
    static final Duration TEST_TIMEOUT = Duration.ofSeconds(2);

    /** A pool of one size, whose callers wait for 30 s. */
    static Settings fixed(int size) {
        return between(size, size);
    }

    static Settings between(int least, int most) {
        return new Settings(least, most, Duration.ofSeconds(30), Duration.ofSeconds(30), false);
    }

    /** The same for callers with a deadline: they wait so long for a connection, and as long for an answer. */
    Settings withDeadline(Duration deadline) {
        return new Settings(least, most, deadline, deadline, true);
    }
}
