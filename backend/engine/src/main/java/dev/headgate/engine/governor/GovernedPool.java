package dev.headgate.engine.governor;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.meter.Ending;
import dev.headgate.engine.meter.PoolMeter;
import java.util.Map;
import java.util.Optional;

/**
 * A pool as its governor sees it: a gate in front, connections behind, a meter on them. All methods are called by the
 * governor alone and must not block.
 */
public interface GovernedPool {

    String domain();

    Gate gate();

    /** Told before it keeps fewer connections: why it closes some. */
    default void shrinksBecause(Ending why) {}

    /** Keeps so many connections open from now on, as permits were added or taken away. */
    void resize(int connections);

    /** Called once per window: opens what is missing, closes what is free and too many. */
    void tidy();

    /** Replaces every connection: free ones now, leased ones when they come back. */
    void replaceConnections();

    /** Connections that are established. */
    int open();

    /** Connections that are being established. */
    int opening();

    /**
     * Connections that are held or being opened: the gate's places, for which each window opens what is missing; but those that there
     * really are while the database cannot be reached.
     */
    default int held() {
        int places = gate().places();
        return failure().isPresent() ? Math.min(places, open() + opening()) : places;
    }

    /** Everything measured since the last call. */
    PoolMeter.Measured drain(long nowNanos);

    /** Leases given: as many as the gate has admitted, unless some of these found no connection. */
    default long leasesTotal() {
        return gate().admittedTotal();
    }

    long requestsTotal();

    long errorsTotal();

    /** Alarms that were raised from outside of the engine and stand: each by its code. */
    default Map<String, Raised> raised() {
        return Map.of();
    }

    /** Set while the last attempt to connect failed. */
    Optional<Opener.Failure> failure();

    /** Set while a connection is wanted that the database's budget has no room for. */
    default boolean isOverBudget() {
        return false;
    }
}
