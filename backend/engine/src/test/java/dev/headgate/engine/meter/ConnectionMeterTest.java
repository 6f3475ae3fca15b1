package dev.headgate.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The times of one connection's meter, in virtual time. */
class ConnectionMeterTest {

    private static final long MS = 1_000_000;

    private final VirtualTime time = new VirtualTime();
    private final LeaseRecorder leases = new LeaseRecorder(
            time,
            new MemoryAccount(1 << 20, List.of(new MemoryAccount.Portion("leases", 0, 1, 1, 1)))
                    .share("leases", "bank"));
    private final ConnectionMeter meter = new ConnectionMeter("bank-1", time);
    private long leasedMillis;
    private long busyMillis;
    private long heldMillis;

    private final Holder holder = () -> "a test";
    private final Holder another = () -> "another";

    ConnectionMeterTest() {
        meter.opened(1);
    }

    @Test
    void aLeaseIsUsedFromItsFirstRequestToItsLastOnesEnd() {
        pass(5);
        meter.leased(holder);
        pass(7);
        request(10);
        pass(20);
        request(30);
        pass(40);
        meter.returned(holder, 0, leases);
        pass(50);
        endWindow();
        assertThat(leasedMillis).isEqualTo(10 + 20 + 30);
        assertThat(busyMillis).isEqualTo(10 + 30);

        meter.leased(another);
        pass(5);
        assertThat(meter.returned(holder, 0, leases)).as("its lease is over").isFalse();
        assertThat(meter.holder()).isSameAs(another);
        assertThat(meter.returned(another, 0, leases)).isTrue();
        assertThat(meter.isLeased()).isFalse();
        endWindow();
        assertThat(leasedMillis).as("nothing was asked for in it").isEqualTo(60);
    }

    /** Told as it goes, and what is told is not told again at its end. */
    @Test
    void aLongLeaseIsToldWindowByWindow() {
        meter.leased(holder);
        endWindow();
        assertThat(leasedMillis).as("before the first request").isZero();
        meter.requestBegan();
        pass(100);
        endWindow();
        assertThat(leasedMillis).isEqualTo(100);
        pass(10);
        meter.requestEnded(false, (byte) 'T');
        pass(200);
        endWindow();
        assertThat(leasedMillis).as("idle since").isEqualTo(110);
        request(5);
        pass(1_000);
        endWindow();
        assertThat(leasedMillis).isEqualTo(315);
        meter.returned(holder, 0, leases);
        endWindow();
        assertThat(leasedMillis).isEqualTo(315);
        assertThat(busyMillis).isEqualTo(115);
    }

    @Test
    void aLeaseIsHeldFromItsFirstRequestToItsReturn() {
        meter.leased(holder);
        pass(7);
        request(10);
        pass(20);
        assertThat(endWindow().held()).isTrue();
        assertThat(heldMillis).as("told as it goes").isEqualTo(30);
        pass(40);
        meter.returned(holder, 0, leases);
        pass(50);
        assertThat(endWindow().held()).isFalse();
        assertThat(heldMillis).isEqualTo(70);

        meter.leased(another);
        pass(5);
        assertThat(endWindow().held()).as("before its first request").isFalse();
        pass(5);
        request(10);
        meter.returned(another, 0, leases);
        endWindow();
        assertThat(heldMillis).isEqualTo(80);
    }

    /** The recorder's histogram serves again; what was told of a window stays as it was. */
    @Test
    void aWindowStaysAsItWasWhileLaterOnesAreMeasured() {
        request(20);
        Latency first = window();
        request(500);
        request(700);
        Latency second = window();
        Latency third = window();
        assertThat(first.count()).isOne();
        assertThat(first.maxNanos()).isBetween(20_000_000L, 20_300_000L);
        assertThat(second.count()).isEqualTo(2);
        assertThat(second.maxNanos()).isBetween(700_000_000L, 706_000_000L);
        assertThat(third.count()).isZero();
    }

    /** Then whoever has it next may find that the server has ended it. */
    @Test
    void aLeaseIsSilentFromAMillisecondAfterItsLastAnswerOrFromTheEndOfAWindow() {
        meter.leased(holder);
        request(10);
        meter.returned(holder, 0, leases);
        assertThat(meter.wasSilent()).as("the server has just answered").isFalse();

        meter.leased(holder);
        request(10);
        pass(1);
        meter.returned(holder, 0, leases);
        assertThat(meter.wasSilent()).isTrue();

        meter.leased(holder);
        meter.returned(holder, 0, leases);
        assertThat(meter.wasSilent()).as("over before a window ended").isFalse();

        meter.leased(holder);
        endWindow();
        meter.returned(holder, 0, leases);
        assertThat(meter.wasSilent()).isTrue();
    }

    @Test
    void tellsWhetherTheServerWasThereLatelyByItsAnswersAndByLooks() {
        pass(499);
        assertThat(meter.foundOpen(500 * MS)).as("opened a while ago").isTrue();
        pass(500);
        assertThat(meter.foundOpen(500 * MS)).isFalse();
        request(100);
        pass(499);
        assertThat(meter.foundOpen(500 * MS)).as("answered a while ago").isTrue();
        pass(500);
        assertThat(meter.foundOpen(500 * MS)).isFalse();
    }

    private Latency window() {
        return meter.drain(time.nanoTime(), HdrLatency.newSum()).window().latency();
    }

    private void request(long millis) {
        meter.requestBegan();
        pass(millis);
        meter.requestEnded(false, (byte) 'T');
    }

    private void pass(long millis) {
        time.runFor(Duration.ofMillis(millis));
    }

    private ConnectionMeter.Drained endWindow() {
        ConnectionMeter.Drained drained = meter.drain(time.nanoTime(), HdrLatency.newSum());
        leasedMillis += TimeUnit.NANOSECONDS.toMillis(drained.leasedNanos());
        busyMillis += TimeUnit.NANOSECONDS.toMillis(drained.busyNanos());
        heldMillis += TimeUnit.NANOSECONDS.toMillis(drained.heldNanos());
        return drained;
    }
}
