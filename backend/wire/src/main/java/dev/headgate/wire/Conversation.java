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

    /** The most bytes to read from the client at once; 0 while it should not be read. */
    default int wanted() {
        return Transport.ANY;
    }

    /** It failed through a defect in Headgate. */
    void abandon();

    /** The port closes. An idle client is told; a busy one may finish its transaction. */
    void stop();
}
