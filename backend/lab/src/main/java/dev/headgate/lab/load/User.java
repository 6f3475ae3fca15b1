package dev.headgate.lab.load;

import dev.headgate.lab.Client;
import java.time.Duration;
import java.util.Iterator;
import java.util.function.LongSupplier;

/**
 * Someone who sends a request, waits for its answer, thinks, and sends the next. Thinking takes an exponentially distributed time; the
 * next request is due when it ends, so a late generator is seen in the latency and is reported. Used by one thread.
 */
final class User {

    private final Client client;
    private final Duration think;
    private final LongSupplier nanoTime;
    private final long endNanos;
    private final Tally tally;

    /**
     * @param client also waits for the user, so that a test's time passes at once
     * @param think the mean; zero for none
     * @param endNanos requests that would be due later are not sent
     */
    User(Client client, Duration think, LongSupplier nanoTime, long endNanos, Tally tally) {
        this.client = client;
        this.think = think;
        this.nanoTime = nanoTime;
        this.endNanos = endNanos;
        this.tally = tally;
    }

    /**
     * Begins a session and sends its requests, until it or the load ends. If the session itself fails, the request that was due has
     * failed, and the session is over. Returns when the user's next request would be due. Blocks.
     */
    long visit(Sessions sessions, long firstDueNanos) throws InterruptedException {
        long due = firstDueNanos;
        try {
            Iterator<Action> session = sessions.begin(client);
            while (session.hasNext()
                    && due - endNanos < 0
                    && !Thread.currentThread().isInterrupted()) {
                long left = due - nanoTime.getAsLong();
                if (left > 0) {
                    client.pause(left);
                }
                ask(session.next(), due);
                due = nanoTime.getAsLong() + thinking();
            }
            return due;
        } catch (RuntimeException | Error e) {
            tally.failed(e, due, nanoTime.getAsLong());
            return nanoTime.getAsLong() + thinking();
        }
    }

    /** Draws how long the user thinks. */
    long thinking() {
        return think.isZero() ? 0 : (long) (think.toNanos() * client.random().nextExponential());
    }

    private void ask(Action action, long due) throws InterruptedException {
        tally.started(due, nanoTime.getAsLong());
        try {
            tally.ended(action.run(client), due, nanoTime.getAsLong());
        } catch (InterruptedException e) {
            tally.failed(e, due, nanoTime.getAsLong());
            throw e;
        } catch (Exception | Error e) {
            tally.failed(e, due, nanoTime.getAsLong());
        }
    }
}
