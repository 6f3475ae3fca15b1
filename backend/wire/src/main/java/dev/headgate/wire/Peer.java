package dev.headgate.wire;

import dev.headgate.engine.Requester;

/**
 * Who is at the other end of a {@link Relay}, for people.
 *
 * @param user as it has logged in
 * @param address where it connects from, with its port; may be empty
 * @param transaction the short name of a transaction over several requests; empty if it is none
 */
public record Peer(Requester.Kind kind, String user, String address, String transaction) {

    /** A client of the wire port. */
    static Peer wire(String user, String address) {
        return new Peer(Requester.Kind.WIRE, user, address, "");
    }
}
