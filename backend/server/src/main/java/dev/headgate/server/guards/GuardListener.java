package dev.headgate.server.guards;

import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Passes measurements to the guards on the governors' threads. Reports a guard's outcome on a thread of its own, because
 * governors must not wait for the store.
 */
@Component
class GuardListener implements EngineListener, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GuardListener.class);
    private static final Actor GUARD = new Actor("guard", "system");

    private final Guards guards;
    private final ApplicationEventPublisher events;
    private final Access access;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final Supervisor supervisor;
    private volatile boolean running;

    GuardListener(
            Guards guards,
            ApplicationEventPublisher events,
            Access access,
            Audit audit,
            TransactionTemplate transactions,
            Supervisor supervisor) {
        this.supervisor = supervisor;
        this.guards = guards;
        this.events = events;
        this.access = access;
        this.audit = audit;
        this.transactions = transactions;
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        if (running) {
            LongSupplier timedOut = () -> pool.status().totals().timedOut();
            guards.window(Scope.domain(pool.domain()), pool.domain(), end, window, timedOut)
                    .ifPresent(this::handOver);
            guards.window(Scope.database(pool.database().target().name()), pool.domain(), end, window, timedOut)
                    .ifPresent(this::handOver);
        }
    }

    private void handOver(Guards.Outcome outcome) {
        Thread _ = supervisor.start(
                "guard", Thread.ofVirtual().name("guard"), () -> access.actAs(GUARD, () -> settle(outcome)));
    }

    private void settle(Guards.Outcome outcome) {
        switch (outcome) {
            case GuardFired fired -> events.publishEvent(fired);
            case Guards.Ended ended -> end(ended);
        }
    }

    /** The revision stays. Reports which bounds the guard could not judge. */
    private void end(Guards.Ended ended) {
        ended.unjudged()
                .ifPresent(why -> log.warn(
                        "The guard of revision {} of {} ended without a judgement, so the revision stays: {}",
                        ended.revision(),
                        ended.scope().path(),
                        why));
        transactions.executeWithoutResult(transaction -> {
            guards.forget(ended);
            ended.unjudged()
                    .ifPresent(why -> audit.record(
                            "policies.guard-unjudged",
                            ended.scope().path(),
                            null,
                            Map.of("revision", ended.revision(), "reason", why + ".")));
        });
    }

    @Override
    public void start() {
        guards.rearm();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts after the pools are open. */
    @Override
    public int getPhase() {
        return 1;
    }
}
