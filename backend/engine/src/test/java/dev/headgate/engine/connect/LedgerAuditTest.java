package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.time.VirtualTime;
import java.io.IOException;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The audit in virtual time, over sockets that never connect. */
class LedgerAuditTest {

    private final VirtualTime time = new VirtualTime();
    private final SocketLedger ledger = new SocketLedger(3, 0);
    private final Probe prober = new Probe(ledger, time);
    private final LedgerAudit audit = new LedgerAudit("main", ledger, prober, time);
    private final FakePool pool = new FakePool();

    LedgerAuditTest() {
        audit.add(pool);
        audit.start();
    }

    @Test
    void findsNothingWhereTheCountsAgree() throws Exception {
        pool.open();
        pool.open();
        audits(5);
        assertThat(audit.figures()).isEqualTo(new LedgerAudit.Figures(2, 2, 2, 0));
        assertThat(audit.discrepancy()).isEmpty();
        assertThat(pool.flushes).isZero();
    }

    @Test
    void removesAnEntryWhoseSocketIsClosedAfterTwoAudits() throws Exception {
        ledger.open().taken(closed());
        ledger.open();
        audits(1);
        assertThat(ledger.openNow()).isEqualTo(2);
        assertThat(audit.discrepancy()).isEmpty();
        audits(1);
        assertThat(ledger.openNow()).isZero();
        assertThat(audit.discrepancy())
                .contains("main: 2 places of the budget were taken by no open socket, and have been" + " freed");
        assertThat(audit.figures().repaired()).isEqualTo(2);
        audits(1);
        assertThat(audit.discrepancy()).isEmpty();
    }

    @Test
    void closesAnOpenSocketThatBelongsToNoConnectionAfterTwoAudits() throws Exception {
        pool.open();
        ledger.open().taken(new Socket());
        audits(1);
        assertThat(ledger.openNow()).isEqualTo(2);
        assertThat(audit.discrepancy()).isEmpty();
        audits(1);
        assertThat(ledger.openNow()).isEqualTo(1);
        assertThat(audit.discrepancy()).contains("main: 1 open socket belonged to no connection, and has been closed");
        assertThat(audit.figures()).isEqualTo(new LedgerAudit.Figures(1, 1, 1, 1));
        assertThat(pool.flushes).isZero();
    }

    @Test
    void doesNotMindAConnectionThatIsLongBeingOpenedNorAProbe() throws Exception {
        ConnectionSockets opening = pool.open();
        pool.connections.clear();
        pool.held = 0;
        pool.connecting.add(opening);
        ConnectionSockets probing = new ConnectionSockets(new ConnectionMeter("probe", time), ledger);
        probing.socketOpens().taken(new Socket());
        prober.connections().add(probing);
        audits(5);
        assertThat(audit.figures()).isEqualTo(new LedgerAudit.Figures(2, 2, 0, 0));
        assertThat(audit.discrepancy()).isEmpty();
    }

    @Test
    void doesNotMindOthersThatOpenAndCloseAtEachAudit() throws Exception {
        for (int i = 0; i < 5; i++) {
            SocketLedger.Entry opening = ledger.open();
            ConnectionSockets closing = pool.open();
            pool.held--;
            audits(1);
            opening.close();
            closing.end();
            pool.connections.remove(closing);
        }
        assertThat(audit.figures().repaired()).isZero();
        assertThat(pool.flushes).isZero();
    }

    @Test
    void hasAPoolReplaceAConnectionWhoseSocketIsClosed() throws Exception {
        pool.open();
        pool.last.close();
        audits(1);
        assertThat(pool.flushes).isZero();
        audits(1);
        assertThat(pool.flushes).isEqualTo(1);
        assertThat(audit.discrepancy()).isPresent();
    }

    @Test
    void leavesALeasedConnectionToItsHolder() throws Exception {
        ConnectionSockets dead = pool.open();
        dead.meter().leased(() -> "holder");
        pool.last.close();
        audits(5);
        assertThat(pool.flushes).isZero();
        assertThat(audit.discrepancy()).isEmpty();
    }

    @Test
    void cutsAConnectionThatThePoolHasGivenUpAndThatDoesNotClose() throws Exception {
        ConnectionSockets stuck = pool.open();
        pool.open();
        audits(1);
        pool.held = 1;
        stuck.meter().closing();
        audits(1);
        assertThat(stuck.isOpen()).isTrue();
        audits(1);
        assertThat(stuck.isOpen()).isFalse();
        assertThat(ledger.openNow()).isEqualTo(1);
        assertThat(audit.discrepancy()).isPresent();
        assertThat(pool.flushes).isZero();
    }

    @Test
    void findsAndCutsAConnectionThatNoPoolKnows() throws Exception {
        ConnectionSockets forgotten = pool.open();
        ConnectionSockets leased = pool.open();
        leased.meter().leased(() -> "holder");
        pool.held = 1;
        audits(3);
        assertThat(pool.flushes).isEqualTo(1);
        assertThat(forgotten.isOpen()).isTrue();
        audits(1);
        assertThat(forgotten.isOpen()).isFalse();
        assertThat(leased.isOpen()).isTrue();
        audits(2);
        assertThat(audit.discrepancy()).isEmpty();
        assertThat(audit.figures()).isEqualTo(new LedgerAudit.Figures(1, 1, 1, 1));
        assertThat(pool.flushes).isEqualTo(1);
    }

    @Test
    void namesTheBudgetAndEndsAnEntryOnce() throws Exception {
        SocketLedger.Entry first = ledger.open();
        ledger.open();
        ledger.open();
        assertThatThrownBy(ledger::open)
                .isInstanceOf(SocketLedger.BudgetUsedUpException.class)
                .hasMessage("the budget of 3 connections is used up");
        first.close();
        first.close();
        assertThat(ledger.openNow()).isEqualTo(2);
    }

    /** A timer's task that throws is not run again by anyone but itself. */
    @Test
    void auditsOnAfterOneThatFailed() throws Exception {
        pool.open();
        pool.isBroken = true;
        assertThatThrownBy(() -> audits(1)).hasMessage("broken on purpose");
        assertThatThrownBy(() -> audits(1)).hasMessage("broken on purpose");
        pool.isBroken = false;
        audits(1);
        assertThat(audit.figures()).isEqualTo(new LedgerAudit.Figures(1, 1, 1, 0));
    }

    private void audits(int count) {
        time.advance(count * LedgerAudit.PERIOD_NANOS);
    }

    private static Socket closed() throws IOException {
        Socket socket = new Socket();
        socket.close();
        return socket;
    }

    private final class FakePool implements LedgerAudit.Pooled {
        final Set<ConnectionSockets> connecting = new HashSet<>();
        final Set<ConnectionSockets> connections = new HashSet<>();
        int held;
        int flushes;
        boolean isBroken;
        Socket last = new Socket();

        ConnectionSockets open() throws IOException {
            ConnectionSockets sockets = new ConnectionSockets(new ConnectionMeter("test", time), ledger);
            last = new Socket();
            sockets.socketOpens().taken(last);
            connections.add(sockets);
            held++;
            return sockets;
        }

        @Override
        public String domain() {
            return "bank";
        }

        @Override
        public int held() {
            if (isBroken) {
                throw new IllegalStateException("broken on purpose");
            }
            return held;
        }

        @Override
        public Set<ConnectionSockets> connecting() {
            return connecting;
        }

        @Override
        public Set<ConnectionSockets> established() {
            connections.removeIf(ConnectionSockets::hasEnded);
            return Set.copyOf(connections);
        }

        @Override
        public void flush() {
            flushes++;
        }
    }
}
