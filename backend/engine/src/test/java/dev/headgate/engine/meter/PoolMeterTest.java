package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.time.VirtualTime;
import org.junit.jupiter.api.Test;

class PoolMeterTest {

    private final VirtualTime time = new VirtualTime();
    private final PoolMeter pool = new PoolMeter();

    /** What derives a rate from a total takes one that runs backwards for a restart, and counts all of it again. */
    @Test
    void totalsNeverRunBackwardsWhenAConnectionIsClosed() {
        ConnectionMeter first = opened("first");
        ConnectionMeter second = opened("second");
        request(first, false);
        request(first, true);
        request(second, true);
        assertTotals(3, 2);

        pool.retire(first);
        assertTotals(3, 2);
        pool.drain(time.nanoTime());
        assertTotals(3, 2);
        pool.retire(second);
        pool.retire(second);
        assertTotals(3, 2);
        pool.drain(time.nanoTime());
        pool.drain(time.nanoTime());
        assertTotals(3, 2);
    }

    private void assertTotals(long requests, long errors) {
        assertThat(pool.requestsTotal()).isEqualTo(requests);
        assertThat(pool.errorsTotal()).isEqualTo(errors);
    }

    private ConnectionMeter opened(String id) {
        ConnectionMeter meter = new ConnectionMeter(id, time);
        pool.add(meter);
        meter.opened(1);
        return meter;
    }

    private static void request(ConnectionMeter meter, boolean failed) {
        meter.requestBegan();
        meter.requestEnded(failed, (byte) 'I');
    }
}
