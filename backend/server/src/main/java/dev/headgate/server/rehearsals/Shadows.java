package dev.headgate.server.rehearsals;

import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.ShadowStatus;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.AnswerJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.policies.Draft;
import dev.headgate.server.policies.EngineAnswer;
import dev.headgate.server.policies.MadeSet;
import dev.headgate.server.policies.Policies;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The shadow sets: policy sets that get the live inputs beside the live sets and decide nothing. At most one for each domain. Stored
 * in the control store, so that a comparison over days survives a restart.
 */
@Service
class Shadows {

    private static final Logger log = LoggerFactory.getLogger(Shadows.class);

    private final ShadowStore store;
    private final Policies policies;
    private final Engine engine;
    private final Audit audit;
    private final Access access;
    private final Clock clock;
    private final TransactionTemplate transactions;

    /** Why the stored set of a domain is not asked since the last restart. */
    private final Map<String, String> notAsked = new ConcurrentHashMap<>();

    /** Held until store and engine have the same set. */
    private final Lock changing = new ReentrantLock();

    Shadows(
            ShadowStore store,
            Policies policies,
            Engine engine,
            Audit audit,
            Access access,
            Clock clock,
            TransactionTemplate transactions) {
        this.store = store;
        this.policies = policies;
        this.engine = engine;
        this.audit = audit;
        this.access = access;
        this.clock = clock;
        this.transactions = transactions;
    }

    /** @throws ProblemException not-found if there is no such domain, or it has no shadow set */
    ShadowSet read(String domain) {
        return find(domain).orElseThrow(() -> none(domain));
    }

    /**
     * The domain's shadow set, if it has one.
     *
     * @throws ProblemException not-found if there is no such domain
     */
    Optional<ShadowSet> find(String domain) {
        Pool pool = pool(domain);
        return store.find(domain).map(kept -> of(kept, pool));
    }

    private ShadowSet of(ShadowStore.Kept kept, Pool pool) {
        Optional<ShadowStatus> status = pool.shadowStatus().filter(each -> each.steps() > 0);
        int budget = pool.database().target().budget();
        return new ShadowSet(
                kept.createdAt(),
                kept.actor(),
                kept.policySet(),
                status.map(ShadowStatus::steps).orElse(0L),
                status.map(ShadowStatus::differed).orElse(0L),
                status.map(each -> Plan.PlannedLimits.of(
                                each.live(),
                                budget,
                                AnswerJson.all(pool.status().answers())))
                        .orElse(null),
                status.map(each -> Plan.PlannedLimits.of(each.shadow(), budget, AnswerJson.all(each.answers())))
                        .orElse(null),
                status.flatMap(ShadowStatus::degraded).orElse(notAsked.get(kept.domain())));
    }

    /**
     * Sets a domain's shadow set. Replaces a former one.
     *
     * @throws ProblemException invalid-policy-set with every fault; nothing has changed then
     */
    ShadowSet put(String domain, PolicySetRequest set) {
        Pool pool = pool(domain);
        Draft draft = policies.draft(Scope.domain(domain), set);
        if (!draft.isValid()) {
            throw ProblemException.of(ProblemType.INVALID_POLICY_SET, draft.faults());
        }
        ShadowStore.Kept kept = new ShadowStore.Kept(
                domain,
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                access.actor().name(),
                draft.request());
        try (MadeSet made = draft.make()) { // runs the code of plugins, so no row is locked yet
            change(pool, () -> {
                Object before =
                        store.find(domain).map(ShadowStore.Kept::policySet).orElse(null);
                store.keep(kept);
                audit.record("policies.shadow", Scope.domain(domain).path(), before, kept.policySet());
                EngineAnswer.of(pool.shadow(made.take(0)));
            });
        }
        notAsked.remove(domain);
        return read(domain);
    }

    /** Removes a shadow set. */
    void remove(String domain) {
        Pool pool = pool(domain);
        ShadowStore.Kept kept = store.find(domain).orElseThrow(() -> none(domain));
        change(pool, () -> {
            store.forget(domain);
            audit.record("policies.unshadow", Scope.domain(domain).path(), kept.policySet(), null);
            EngineAnswer.of(pool.unshadow());
        });
        notAsked.remove(domain);
    }

    /** Makes a change in a transaction. If that is not kept, the engine gets what is stored. */
    private void change(Pool pool, Runnable change) {
        changing.lock();
        try {
            transactions.executeWithoutResult(transaction -> change.run());
        } catch (RuntimeException e) {
            putBack(pool);
            throw e;
        } finally {
            changing.unlock();
        }
    }

    private void putBack(Pool pool) {
        try {
            Optional<Draft> stored = store.find(pool.domain())
                    .map(kept -> policies.draft(Scope.domain(pool.domain()), kept.policySet()))
                    .filter(Draft::isValid);
            EngineAnswer.of(stored.isPresent() ? pool.shadow(stored.get().buildInForce(0)) : pool.unshadow());
        } catch (RuntimeException e) {
            log.error("The shadow set of {} is not the one that is stored", pool.domain(), e);
        }
    }

    /** Restores the stored shadow sets after a restart. One that is no longer valid is skipped and logged. */
    @EventListener(ApplicationReadyEvent.class)
    void resume() {
        for (ShadowStore.Kept kept : store.all()) {
            Optional<Pool> pool = engine.pool(kept.domain());
            Draft draft = policies.draft(Scope.domain(kept.domain()), kept.policySet());
            if (pool.isPresent() && draft.isValid()) {
                EngineAnswer.of(pool.get().shadow(draft.buildInForce(0)));
            } else {
                notAsked.put(
                        kept.domain(),
                        "It is not asked: "
                                + draft.faults().stream()
                                        .map(fault -> fault.pointer() + " " + fault.message())
                                        .collect(Collectors.joining("; "))
                                + ".");
                log.atWarn()
                        .addKeyValue("domain", kept.domain())
                        .log("The shadow set of {} is not asked: {}", kept.domain(), draft.faults());
            }
        }
    }

    private Pool pool(String domain) {
        return engine.pool(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
    }

    private static ProblemException none(String domain) {
        return ProblemException.of(ProblemType.NOT_FOUND, domain + " has no shadow set.");
    }
}
