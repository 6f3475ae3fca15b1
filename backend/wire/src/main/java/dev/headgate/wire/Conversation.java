package dev.headgate.wire;

import dev.headgate.protocol.ProtocolException;

/** The current dialogue with a client: the login, then a session or the console. On the client's loop. */
interface Conversation {

    /** The client's reader has new bytes. */
    void received() throws ProtocolException;

    /** The client has accepted bytes. */
    default void drained() {}

    /** The client has closed its connection, or it broke. */
    void gone();

    /** Whether the client should be read. */
    default boolean wantsMore() {
        return true;
    }

    /** It failed through a defect in Headgate. */
    void abandon();

    /** The port closes. An idle client is told; a busy one may finish its transaction. */
    void stop();
}
