package dev.headgate.wire;

import dev.headgate.engine.Requester;

/**
 * Who is at the other end of a {@link Relay}, for people.
 *
 * @param user as it has logged in
 * @param address where it connects from, with its port; may be empty
 */
public record Peer(Requester.Kind kind, String user, String address) {}
