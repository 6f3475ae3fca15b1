package dev.headgate.engine;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One non-blocking request for a relay's lease. The gate admits it on the caller's thread, or later on the thread that
 * releases a permit, which hands it to the executor at once. The executor takes a free connection without waiting. If none
 * is free because one is being opened, a virtual thread waits for it and hands the outcome to the executor.
 *
 * <p>It ends once: by a call of the listener, or by being cancelled. A lease that arrives after that is released.
 */
final class RelayRequest implements Gate.Listener {

    private final Lending lending;

    /** Does what may block. */
    private final Executor background;

    private final LeaseRequest request;
    private final Executor executor;
    private final RelayListener listener;
    private final Thread caller = Thread.currentThread();
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Whether the call has returned. Only the caller's thread uses it. */
    private boolean returned;

    private RelayRequest(
            Lending lending, Executor background, LeaseRequest request, Executor executor, RelayListener listener) {
        this.lending = lending;
        this.background = background;
        this.request = request;
        this.executor = executor;
        this.listener = listener;
    }

    /**
     * Starts a request.
     *
     * @param background runs what may block
     * @return cancels the request
     */
    static Runnable start(
            Lending lending, Executor background, LeaseRequest request, Executor executor, RelayListener listener) {
        RelayRequest started = new RelayRequest(lending, background, request, executor, listener);
        Runnable leaveQueue = lending.gate().acquireAsync(request.timeoutNanos(), request, started);
        started.returned = true;
        return () -> {
            if (started.ended.compareAndSet(false, true)) {
                leaveQueue.run();
            }
        };
    }

    @Override
    public void admitted(long waitedNanos) {
        continueOnExecutor(() -> serve(waitedNanos), lending.gate()::release);
    }

    @Override
    public void refused(Refusal refusal) {
        continueOnExecutor(() -> tell(lending.failures().refused(request, refusal)), () -> {});
    }

    private void serve(long waitedNanos) {
        if (ended.get()) {
            lending.gate().release();
            return;
        }
        PooledLease free;
        try {
            free = lending.leaseNow(request, waitedNanos, true);
        } catch (LeaseException e) {
            tell(e);
            return;
        } catch (RuntimeException | Error fault) {
            tell(afterFault(waitedNanos, fault)); // else its client would wait for ever
            return;
        }
        if (free == null) {
            waitInBackground(waitedNanos);
        } else {
            tell(free);
        }
    }

    private void waitInBackground(long waitedNanos) {
        try {
            background.execute(() -> waitForConnection(waitedNanos));
        } catch (RuntimeException | Error fault) { // such as: no thread could be started
            tell(lending.withoutConnection(request, waitedNanos, fault));
        }
    }

    private void waitForConnection(long waitedNanos) {
        PooledLease lease;
        try {
            lease = lending.lease(request, waitedNanos, true);
        } catch (LeaseException e) {
            execute(() -> tell(e), () -> {});
            return;
        } catch (RuntimeException | Error fault) {
            execute(() -> tell(afterFault(waitedNanos, fault)), () -> {});
            return;
        }
        execute(() -> tell(lease), lease::close);
    }

    /** Of a fault of the lending, which has given the permit back. */
    private LeaseException afterFault(long waitedNanos, Throwable fault) {
        LeaseFailures failures = lending.failures();
        return failures.withoutConnection(request, waitedNanos, failures.cause(fault), fault);
    }

    /** A listener that throws may have used the connection already, so that is discarded. */
    private void tell(PooledLease lease) {
        if (!ended.compareAndSet(false, true)) {
            lease.close();
            return;
        }
        try {
            listener.leased(lease);
        } catch (RuntimeException | Error fault) {
            lease.discard();
            throw fault;
        }
    }

    private void tell(LeaseException why) {
        if (ended.compareAndSet(false, true)) {
            listener.refused(why);
        }
    }

    private void continueOnExecutor(Runnable next, Runnable otherwise) {
        if (Thread.currentThread().equals(caller) && !returned) {
            next.run();
        } else {
            execute(next, otherwise);
        }
    }

    private void execute(Runnable task, Runnable otherwise) {
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            ended.set(true);
            otherwise.run();
        }
    }
}
