package dev.headgate.server.policies;

import dev.headgate.engine.Engine;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.guards.GuardFired;
import dev.headgate.server.guards.GuardUnjudged;
import dev.headgate.server.guards.Guards;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Does to the sets what their guards say. After one has fired, restores the former revision. If that set is not valid any more, the
 * revision stays and the audit log has the reason. If the store or the engine cannot do it now, it throws, and is asked again. After
 * one could not judge, keeps that with its revision and has the decision log tell it.
 */
@Component
class EndedGuards {

    private static final Logger log = LoggerFactory.getLogger(EndedGuards.class);

    private final Policies policies;
    private final PolicyStore store;
    private final Engine engine;
    private final Guards guards;
    private final Audit audit;
    private final TransactionTemplate transactions;

    EndedGuards(
            Policies policies,
            PolicyStore store,
            Engine engine,
            Guards guards,
            Audit audit,
            TransactionTemplate transactions) {
        this.policies = policies;
        this.store = store;
        this.engine = engine;
        this.guards = guards;
        this.audit = audit;
        this.transactions = transactions;
    }

    @EventListener
    void on(GuardFired fired) {
        if (!guards.isKept(fired.scope(), fired.revision())) {
            return; // somebody else changed the set first, which ended the guard
        }
        try {
            policies.restoreByGuard(fired.scope(), fired.restores(), fired.revision(), fired.reason() + ".");
            log.info(
                    "The guard restored revision {} of {}: {}",
                    fired.restores(),
                    fired.scope().path(),
                    fired.reason());
        } catch (ProblemException e) {
            if (e.type().status() >= 500) {
                throw e;
            }
            if (e.type() != ProblemType.STALE_REVISION) {
                failed(fired, e);
            }
        }
    }

    /** In the transaction that removes the guard. */
    @EventListener
    void on(GuardUnjudged ended) {
        store.addUnjudged(ended.scope(), ended.revision(), ended.reason());
    }

    /** After its commit, because pages then read the revision again. Does not wait for the governor. */
    @TransactionalEventListener
    void tell(GuardUnjudged ended) {
        String name = ended.scope().name();
        String message = "The probation of %s's revision %d ended without a judgement. %s"
                .formatted(name, ended.revision(), ended.reason());
        switch (ended.scope().kind()) {
            case DOMAIN -> engine.pool(name).ifPresent(pool -> pool.unjudged(message));
            case DATABASE -> engine.database(name).ifPresent(database -> database.unjudged(message));
        }
    }

    private void failed(GuardFired fired, ProblemException e) {
        String why = e.faults().isEmpty()
                ? String.valueOf(e.getMessage())
                : e.faults().toString();
        log.error(
                "The guard of {} fired ({}), and revision {} could not be restored: {}",
                fired.scope().path(),
                fired.reason(),
                fired.restores(),
                why,
                e);
        transactions.executeWithoutResult(transaction -> {
            guards.keep(fired.scope(), null);
            audit.record(
                    "policies.guard-failed",
                    fired.scope().path(),
                    null,
                    Map.of("reason", fired.reason(), "restores", fired.restores(), "failure", why));
        });
    }
}
