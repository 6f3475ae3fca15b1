package dev.headgate.server.guards;

import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Passes measurements to the guards on the governors' threads. Reports a guard's outcome on a thread of its own, because
 * governors must not wait for the store. That thread also ends the guards of a database that has no domain and so no windows. What
 * fails there is an alarm, and is tried again until it is done.
 */
@Component
class GuardListener implements EngineListener, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(GuardListener.class);
    private static final Actor GUARD = new Actor("guard", "system");
    private static final String TASK = "guards";
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final Guards guards;
    private final ApplicationEventPublisher events;
    private final Access access;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final Supervisor supervisor;
    /** What the thread does next. */
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    /** Those that could not be settled. Belongs to the thread. */
    private final List<Guards.Outcome> unsettled = new ArrayList<>();

    private volatile boolean running;
    private @Nullable Thread thread;

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

    /** Settles what has ended, or looks after the guards if nothing has ended for a second. */
    private void turn() throws InterruptedException {
        Runnable next = tasks.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
        if (next != null) {
            next.run();
            return;
        }
        guards.follow();
        unsettled.forEach(this::handOver);
        unsettled.clear();
        guards.overdue().forEach(this::handOver);
    }

    private void handOver(Guards.Outcome outcome) {
        tasks.add(() -> access.actAs(GUARD, () -> settle(outcome)));
    }

    private void settle(Guards.Outcome outcome) {
        try {
            switch (outcome) {
                case GuardFired fired -> events.publishEvent(fired);
                case Guards.Ended ended -> end(ended);
            }
        } catch (RuntimeException | Error e) {
            unsettled.add(outcome);
            supervisor.failed(TASK, e);
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
            ended.unjudged().map(why -> why + ".").ifPresent(reason -> {
                audit.record(
                        "policies.guard-unjudged",
                        ended.scope().path(),
                        null,
                        Map.of("revision", ended.revision(), "reason", reason));
                events.publishEvent(new GuardUnjudged(ended.scope(), ended.revision(), reason));
            });
        });
    }

    @Override
    public void start() {
        guards.rearm();
        running = true;
        thread = supervisor.keep(TASK, Thread.ofVirtual(), () -> !running, this::turn);
    }

    /** Waits for the outcome that is being settled. */
    @Override
    public void stop() {
        running = false;
        tasks.add(() -> {}); // it need not wait for the next look
        Thread last = thread;
        try {
            if (last != null && !last.join(PATIENCE)) {
                log.warn("A guard is still being settled");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
