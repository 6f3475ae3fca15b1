package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The server of one site, as in the paper: clients queue their bookings, and one thread executes them. When it wakes it takes one of
 * the queue or all, leases a connection, executes what it has taken one after the other, each in its own transaction, and gives the
 * connection back. For bookings at one site.
 */
final class Dispatcher implements AutoCloseable {

    /** How many bookings a wake-up takes. */
    enum Dequeue {
        SINGLE,
        GROUP
    }

    private record Job(Booking booking, CompletableFuture<Void> done) {}

    private final SplitBank bank;
    private final int site;
    private final Dequeue dequeue;
    private final BlockingQueue<Job> queue = new LinkedBlockingQueue<>();
    private final LongAdder wakeUps = new LongAdder();
    private final LongAdder executed = new LongAdder();
    private final Thread server;

    Dispatcher(SplitBank bank, int site, Dequeue dequeue) {
        this.bank = bank;
        this.site = site;
        this.dequeue = dequeue;
        this.server = Thread.ofVirtual().name("lab-dispatcher-" + site).start(this::serve);
    }

    /** Queues a booking and blocks until it is executed. Not after {@link #close}. */
    void book(Booking booking) throws SQLException, InterruptedException {
        Job job = new Job(booking, new CompletableFuture<>());
        queue.add(job);
        try {
            job.done().get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SQLException failed ? failed : new SQLException(e.getCause());
        }
    }

    /** Bookings taken by a wake-up, on average; 0 before the first. Includes those that are being executed. */
    double meanGroup() {
        return wakeUps.sum() == 0 ? 0 : (double) executed.sum() / wakeUps.sum();
    }

    private void serve() {
        List<Job> taken = new ArrayList<>();
        while (!Thread.currentThread().isInterrupted()) {
            try {
                taken.add(queue.take());
                if (dequeue == Dequeue.GROUP) {
                    queue.drainTo(taken);
                }
                wakeUps.increment();
                executed.add(taken.size());
                execute(taken);
            } catch (InterruptedException e) {
                break;
            }
            taken.clear();
        }
        queue.forEach(job -> job.done().completeExceptionally(new SQLException("the dispatcher was closed")));
    }

    private void execute(List<Job> taken) {
        try (Lease lease = bank.lease(site)) {
            taken.forEach(job -> execute(job, lease.connection()));
        } catch (SQLException | RuntimeException | Error e) {
            taken.forEach(job -> job.done().completeExceptionally(e)); // has no effect on those that are done
        }
    }

    private static void execute(Job job, Connection connection) {
        try {
            SplitBank.book(job.booking(), connection);
            job.done().complete(null);
        } catch (SQLException | RuntimeException | Error e) {
            job.done().completeExceptionally(e);
        }
    }

    /** Ends the server's thread, after what it executes now. Bookings that still wait fail. Does not block. */
    @Override
    public void close() {
        server.interrupt();
    }
}
