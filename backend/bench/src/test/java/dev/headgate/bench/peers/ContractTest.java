package dev.headgate.bench.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pins what Headgate's data source answers. What its peers answer is theirs, and in docs/benchmarks.md. */
@Timeout(120)
class ContractTest {

    @Test
    void headgateKeepsItsContract() throws Exception {
        Map<Clause, String> expected = new EnumMap<>(Clause.class);
        expected.put(Clause.CLOSE_TWICE, "no effect");
        expected.put(Clause.USE_AFTER_CLOSE, "SQLNonTransientConnectionException 08003");
        expected.put(Clause.STATEMENT_AFTER_CLOSE, "SQLNonTransientConnectionException 08003");
        expected.put(Clause.CLOSES_STATEMENTS, "yes");
        expected.put(Clause.IS_CLOSED, "true, false");
        expected.put(Clause.ABANDONED, "others wait 1 s, then LeaseException 53300");
        expected.put(Clause.MAXIMUM_REACHED, "every caller is served");
        expected.put(Clause.VALIDATION_SOON, "a new connection");
        expected.put(Clause.VALIDATION_LATER, "a new connection");
        expected.put(Clause.DIES_IN_USE, "a new connection");
        expected.put(Clause.INTERRUPTED_BORROWER, "served, flag kept");
        expected.put(Clause.INTERRUPTED_COMMIT, "commits, flag kept");
        expected.put(Clause.INTERRUPTED_WAITER, "ends: LeaseException 57014, flag kept");
        expected.put(Clause.UNWRAP, "unwraps, true");
        expected.put(Clause.UNWRAP_SOURCE, "unwraps");
        expected.put(Clause.WAY_BACK, "yes, the metadata's too");
        expected.put(Clause.EQUALS, "yes");
        expected.put(Clause.WARNINGS, "yes");
        expected.put(Clause.AUTO_COMMIT, "yes");
        expected.put(Clause.ISOLATION, "yes");
        expected.put(Clause.READ_ONLY, "yes");
        expected.put(Clause.SCHEMA, "yes");
        expected.put(Clause.HOLDABILITY, "yes");
        expected.put(Clause.NETWORK_TIMEOUT, "yes");
        expected.put(Clause.CLIENT_INFO, "yes");
        expected.put(Clause.OPEN_TRANSACTION, "rolled back");
        expected.put(Clause.OPEN_BEGIN, "rolled back");
        expected.put(Clause.SETTING, "yes");
        expected.put(Clause.TEMPORARY_TABLE, "yes");
        expected.put(Clause.ADVISORY_LOCK, "yes");
        expected.put(Clause.LOGIN_TIMEOUT, "taken, 0 ends it");
        expected.put(Clause.USER_AND_PASSWORD, "SQLFeatureNotSupportedException");
        expected.put(Clause.ABORT, "a new connection");
        expected.put(Clause.POOL_CLOSED, "LeaseException 57P01");
        expected.put(Clause.WATCHING, "Pool.status(), listeners, REST");
        Map<Clause, String> said = new EnumMap<>(Clause.class);
        try (PeerServer server = new PeerServer()) {
            Contract contract = new Contract(server);
            for (Clause clause : expected.keySet()) {
                said.put(clause, contract.answer(clause, Peer.HEADGATE));
            }
            assertThat(contract.answer(Clause.POOL_CLOSED_IN_USE, Peer.HEADGATE))
                    .as("how long closing waits for the holder may vary")
                    .startsWith("ends, after ");
        }
        assertThat(said).isEqualTo(expected);
    }
}
