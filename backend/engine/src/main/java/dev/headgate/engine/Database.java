package dev.headgate.engine;

import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.ServerWait;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** One database, its governor, and the pools of the domains that share it. */
public interface Database {

    String name();

    Target target();

    DatabaseStatus status();

    /** The server's facts at the last probe; empty until it was reached for the first time. Cheaper than {@link #status}. */
    Optional<ServerFacts> facts();

    /** Asks the server for its facts, for {@link #facts}. Blocks up to the target's timeouts. */
    ServerFacts probe() throws SQLException;

    /**
     * What the statements on its connections wait for in the server at this moment, the most frequent first. Blocks as
     * {@link #probe}.
     */
    List<ServerWait> waits() throws SQLException;

    Collection<Pool> pools();

    /**
     * Opens the pool of a domain. Opens only as many connections as the policies' floor asks for.
     *
     * @throws IllegalArgumentException if the engine already has a pool of that name
     */
    Pool open(String domain, PolicySet policies);

    /**
     * Closes a domain's pool. Waiters fail with {@code CLOSED}. Free connections close now, leased ones when they are released.
     *
     * @return completes when the last connection is closed
     */
    CompletionStage<Void> close(String domain);

    /** Puts a set in force for the sum of all domains, as {@link Pool#swap} does. The set sees the windows of that sum. */
    CompletionStage<Void> swap(PolicySet set);

    /** As {@link Pool#ask}, over the sum of all domains. */
    CompletionStage<List<Answer>> ask(PolicySet candidate);

    PolicySet policies();

    /** As {@link Pool#unjudged}, of the database's set. */
    CompletionStage<Void> unjudged(String message);

    /** Changes address, password or budget. If more than the budget changes, all pools are flushed. */
    void retarget(Target target);
}
