package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.time.VirtualTime;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpenerTest {

    private final VirtualTime time = new VirtualTime();
    private final SocketLedger ledger = new SocketLedger(3, 0);
    private final PoolMeter meters = new PoolMeter();
    private final AtomicInteger changes = new AtomicInteger();

    /** Else the pool stands without a connection and nobody is told why. */
    @Test
    void aFailureThatNobodyForesawIsAFailureToConnect() {
        Target halfMade = new Target(
                "main",
                "127.0.0.1",
                1,
                "main",
                "main",
                "",
                Target.SslMode.DISABLE,
                3,
                Target.DEFAULT_CONNECT_TIMEOUT,
                null);
        Opener opener = new Opener("bank", halfMade, time, ledger, meters, changes::incrementAndGet);

        assertThatThrownBy(opener::getConnection)
                .isInstanceOf(SQLException.class)
                .hasMessageStartingWith("bank cannot connect: java.lang.NullPointerException")
                .hasCauseInstanceOf(NullPointerException.class);
        assertThat(opener.failure())
                .hasValueSatisfying(failure -> assertThat(failure.times()).isEqualTo(1));
        assertThat(changes).hasValue(1);
        assertThat(meters.open()).isZero();
        assertThat(ledger.openNow()).isZero();
    }
}
