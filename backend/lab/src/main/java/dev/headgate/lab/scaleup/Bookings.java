package dev.headgate.lab.scaleup;

import dev.headgate.lab.Client;
import dev.headgate.lab.load.Action;
import java.sql.SQLException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** A load's bookings: each is drawn, executed at one or two sites, timed from its start, and counted at its home. */
final class Bookings implements Action {

    private final SplitBank bank;
    private final double distributedShare;
    private final Coordinator coordinator;
    private final Pulse started;
    private final Pulse done;
    private final Recorder local = new Recorder(3);
    private final Recorder distributed = new Recorder(3);

    /**
     * @param started counts bookings when they begin
     * @param done counts bookings when they have been committed
     */
    Bookings(SplitBank bank, double distributedShare, Coordinator coordinator, Pulse started, Pulse done) {
        this.bank = bank;
        this.distributedShare = distributedShare;
        this.coordinator = coordinator;
        this.started = started;
        this.done = done;
    }

    @Override
    public Answer run(Client client) throws SQLException {
        Booking booking = bank.draw(client, distributedShare);
        started.count(booking.home());
        long begin = System.nanoTime();
        if (booking.isDistributed()) {
            coordinator.book(booking);
            distributed.recordValue(System.nanoTime() - begin);
        } else {
            bank.book(booking);
            local.recordValue(System.nanoTime() - begin);
        }
        done.count(booking.home());
        return Answer.DONE;
    }

    /** Of the bookings at one site, in nanoseconds from their start, since the last call. */
    Histogram local() {
        return local.getIntervalHistogram();
    }

    /** Of the bookings at two sites, likewise. */
    Histogram distributed() {
        return distributed.getIntervalHistogram();
    }
}
