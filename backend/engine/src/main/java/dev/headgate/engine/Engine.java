package dev.headgate.engine;

import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.time.Time;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Optional;

/** All databases and pools of this node. One per process; started by its constructor, ended by {@link #close()}. */
public final class Engine implements AutoCloseable {

    /**
     * @param node this node's name, carried by every decision
     * @param listener told of windows and decisions on the governors' threads
     */
    public Engine(String node, Time time, EngineListener listener) {
        throw new UnsupportedOperationException("being built");
    }

    /** The same on the machine's clocks. */
    public static Engine start(String node, EngineListener listener) {
        throw new UnsupportedOperationException("being built");
    }

    /** @throws IllegalArgumentException if there is a database of that name already */
    public Database open(Target target) {
        throw new UnsupportedOperationException("being built");
    }

    /** Closes every pool of a database and forgets it; blocks until its connections are closed. */
    public void close(String database) {
        throw new UnsupportedOperationException("being built");
    }

    public Optional<Database> database(String name) {
        throw new UnsupportedOperationException("being built");
    }

    public Collection<Database> databases() {
        throw new UnsupportedOperationException("being built");
    }

    public Optional<Pool> pool(String domain) {
        throw new UnsupportedOperationException("being built");
    }

    /** Connects once and asks the server about itself; blocks up to the target's timeouts. */
    public static ServerFacts probe(Target target) throws SQLException {
        throw new UnsupportedOperationException("being built");
    }

    @Override
    public void close() {}
}
