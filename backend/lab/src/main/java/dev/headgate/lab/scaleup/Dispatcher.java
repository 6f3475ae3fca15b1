package dev.headgate.lab.scaleup;

import dev.headgate.engine.Lease;
import dev.headgate.engine.supervision.Supervisor;
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
    private volatile boolean closed;

    /** @param supervisor keeps its thread running, and receives its failures */
    Dispatcher(SplitBank bank, int site, Dequeue dequeue, Supervisor supervisor) {
        this.bank = bank;
        this.site = site;
        this.dequeue = dequeue;
        this.server = supervisor.keep("lab-dispatcher-" + site, Thread.ofVirtual(), () -> closed, this::serve);
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

    /** Wakes up once. */
    private void serve() throws InterruptedException {
        List<Job> taken = new ArrayList<>();
        try {
            taken.add(queue.take());
            if (dequeue == Dequeue.GROUP) {
                queue.drainTo(taken);
            }
            wakeUps.increment();
            executed.add(taken.size());
            execute(taken);
        } catch (InterruptedException e) {
            if (!closed) {
                throw e;
            }
        } finally {
            taken.forEach(job -> refuse(job, "the dispatcher failed")); // has no effect on those that are done
        }
    }

    private static void refuse(Job job, String why) {
        job.done().completeExceptionally(new SQLException(why));
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
        closed = true;
        server.interrupt();
        for (Job job = queue.poll(); job != null; job = queue.poll()) {
            refuse(job, "the dispatcher was closed");
        }
    }
}
