package dev.headgate.engine;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * One request for a lease whose caller gets a future. The gate admits or refuses it on any thread, which hands it to a background thread
 * at once: that opens a connection, and runs what depends on the future. Where no such thread can be started, the future fails.
 */
final class AsyncRequest implements Gate.Listener {

    private final Lending lending;

    /** Does what may block. */
    private final Executor background;

    private final LeaseRequest request;
    private final CompletableFuture<Lease> future = new CompletableFuture<>();

    private AsyncRequest(Lending lending, Executor background, LeaseRequest request) {
        this.lending = lending;
        this.background = background;
        this.request = request;
    }

    /**
     * Starts a request. Cancelling the future cancels the request.
     *
     * @param background runs what may block
     */
    static CompletableFuture<Lease> start(Lending lending, Executor background, LeaseRequest request) {
        AsyncRequest started = new AsyncRequest(lending, background, request);
        Runnable leaveQueue = lending.gate().acquireAsync(request.timeoutNanos(), request, started);
        CompletableFuture<Lease> future = started.future;
        CompletableFuture<Lease> _ = future.whenComplete((lease, fault) -> {
            if (future.isCancelled()) {
                leaveQueue.run();
            }
        });
        return future;
    }

    @Override
    public void admitted(long waitedNanos) {
        try {
            background.execute(() -> lease(waitedNanos));
        } catch (RuntimeException | Error fault) {
            future.completeExceptionally(lending.withoutConnection(request, waitedNanos, fault));
        }
    }

    @Override
    public void refused(Refusal refusal) {
        try {
            background.execute(() -> refuse(refusal));
        } catch (RuntimeException | Error fault) {
            refuse(refusal);
        }
    }

    private void lease(long waitedNanos) {
        try {
            Lease lease = lending.lease(request, waitedNanos, false);
            if (!future.complete(lease)) {
                lease.close();
            }
        } catch (LeaseException | RuntimeException | Error fault) {
            future.completeExceptionally(fault);
        }
    }

    private void refuse(Refusal refusal) {
        try {
            future.completeExceptionally(lending.failures().refused(request, refusal));
        } catch (RuntimeException | Error fault) {
            future.completeExceptionally(fault); // else the caller would wait for ever
        }
    }
}
