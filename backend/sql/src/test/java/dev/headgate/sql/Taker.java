package dev.headgate.sql;

import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A subscriber of rows that requests only what a test makes it request. Checks the order of the signals. */
final class Taker implements Flow.Subscriber<Rows> {

    private Flow.@Nullable Subscription subscription;
    private boolean within;

    /** What it subscribes to, if the test says so. */
    @Nullable
    Query query;

    /** Whether it requests one item more, asked within the signal of one. */
    BooleanSupplier requestsWithin = () -> false;

    final StringBuilder rows = new StringBuilder();

    /** The items so far. */
    int items;

    /** The rows so far. */
    int count;

    /** The bytes so far. */
    long bytes;

    long requested;
    boolean completed;

    @Nullable
    Throwable failure;

    @Override
    public void onSubscribe(Flow.Subscription given) {
        subscription = given;
    }

    void request(long more) {
        requested = requested + more < 0 ? Long.MAX_VALUE : requested + more;
        subscription().request(more);
    }

    void cancel() {
        subscription().cancel();
    }

    private Flow.Subscription subscription() {
        if (subscription == null) {
            throw new AssertionError("not subscribed");
        }
        return subscription;
    }

    boolean isOver() {
        return completed || failure != null;
    }

    private void signal(Runnable effect) {
        if (within || isOver()) {
            throw new AssertionError("a signal within another one, or after the last");
        }
        within = true;
        effect.run();
        within = false;
    }

    @Override
    public void onNext(Rows some) {
        signal(() -> {
            if (++items > requested) {
                throw new AssertionError("more items than were requested");
            }
            count += some.count();
            bytes += some.size();
            while (some.next()) {
                rows.append(some.text(0)).append(' ');
            }
            if (requestsWithin.getAsBoolean()) {
                request(1);
            }
        });
    }

    @Override
    public void onComplete() {
        signal(() -> completed = true);
    }

    @Override
    public void onError(Throwable why) {
        signal(() -> failure = why);
    }
}
