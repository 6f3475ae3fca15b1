package dev.headgate.sql;

import dev.headgate.engine.Requester;
import dev.headgate.wire.Peer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Who runs statements, and how.
 *
 * @param holder the label of its leases
 * @param user as it has logged in; empty for code in this process
 * @param address where it comes from; empty if that is unknown
 * @param transaction the short name of a transaction over several requests; empty if it is none
 * @param settings the settings of its session, by name, such as {@code statement_timeout}
 * @param order in which order its rounds and those of others are served
 * @param silence how long it may hold a connection and send nothing, or read nothing; zero for no limit
 * @param bounds what its answers may be at most
 * @param mostWaiting the most rounds that wait to be sent
 * @param deadline ends the session, and cancels its statement; counted from its first use
 */
public record Caller(
        String holder,
        String user,
        String address,
        String transaction,
        Map<String, String> settings,
        Order order,
        Duration silence,
        Bounds bounds,
        int mostWaiting,
        Optional<Deadline> deadline) {

    /**
     * The most time of a session.
     *
     * @param failure what is left fails so
     */
    public record Deadline(Duration time, SqlFailure failure) {}

    /** The order of service where callers wait for connections. */
    public enum Order {
        /** A caller returns its connection after {@value Dialogue#TURN} rounds and queues again, if it has more. */
        FAIR,
        /** A caller keeps its connection until its rounds have ended. */
        FINISH_FIRST
    }

    private static final int DEFAULT_MOST_WAITING = 10_000;

    public Caller {
        settings = Map.copyOf(settings);
    }

    /** A caller with the defaults: fair, a minute of silence, rows of up to 16 MB, 10,000 waiting rounds. */
    public static Caller named(String holder) {
        return new Caller(
                holder,
                "",
                "",
                "",
                Map.of(),
                Order.FAIR,
                Duration.ofMinutes(1),
                Bounds.DEFAULT,
                DEFAULT_MOST_WAITING,
                Optional.empty());
    }

    /** Who it is, for an operator who looks. */
    Peer peer() {
        return new Peer(Requester.Kind.SQL, user, address, transaction);
    }

    public Caller from(String itsUser, String itsAddress) {
        return new Caller(
                holder, itsUser, itsAddress, transaction, settings, order, silence, bounds, mostWaiting, deadline);
    }

    /** The same as a transaction over several requests, by its short name; the label of its leases has it, too. */
    public Caller inTransaction(String name) {
        return new Caller(
                holder + ", transaction " + name,
                user,
                address,
                name,
                settings,
                order,
                silence,
                bounds,
                mostWaiting,
                deadline);
    }

    public Caller with(Map<String, String> other) {
        return new Caller(holder, user, address, transaction, other, order, silence, bounds, mostWaiting, deadline);
    }

    public Caller with(Order other) {
        return new Caller(holder, user, address, transaction, settings, other, silence, bounds, mostWaiting, deadline);
    }

    public Caller withSilence(Duration other) {
        return new Caller(holder, user, address, transaction, settings, order, other, bounds, mostWaiting, deadline);
    }

    public Caller with(Bounds other) {
        return new Caller(holder, user, address, transaction, settings, order, silence, other, mostWaiting, deadline);
    }

    public Caller withMostWaiting(int rounds) {
        return new Caller(holder, user, address, transaction, settings, order, silence, bounds, rounds, deadline);
    }

    public Caller endingAfter(Duration time, SqlFailure failure) {
        return new Caller(
                holder,
                user,
                address,
                transaction,
                settings,
                order,
                silence,
                bounds,
                mostWaiting,
                Optional.of(new Deadline(time, failure)));
    }
}
