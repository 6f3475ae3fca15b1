package dev.headgate.engine;

import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** One database, its governor, and the pools of the domains that share it. */
public interface Database {

    String name();

    Target target();

    DatabaseStatus status();

    /** Asks the server about itself, for {@link #status}; blocks up to the target's timeouts. */
    ServerFacts probe() throws SQLException;

    Collection<Pool> pools();

    /**
     * Opens the pool of a domain. Does not connect by itself beyond what the policies' floor asks for.
     *
     * @throws IllegalArgumentException if the engine has a pool of that name already
     */
    Pool open(String domain, PolicySet policies);

    /**
     * Closes a domain's pool: waiters fail with {@code CLOSED}, free connections close, leased ones when they come back.
     *
     * @return completes when the last connection is closed
     */
    CompletionStage<Void> close(String domain);

    /** Puts a set in force for the sum of all domains; as {@link Pool#swap}, and it is shown the windows of that sum. */
    CompletionStage<Void> swap(PolicySet set);

    /** As {@link Pool#ask}, over the sum of all domains. */
    CompletionStage<List<Answer>> ask(PolicySet candidate);

    PolicySet policies();

    /** Takes another address, password or budget; where more than the budget changed, all pools are flushed. */
    void retarget(Target target);
}
