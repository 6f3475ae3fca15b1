package dev.headgate.wire;

import dev.headgate.protocol.ProtocolException;

/** What is spoken with a client at present: the login, then a session or the console. On the client's loop. */
interface Conversation {

    /** The client's reader was fed. */
    void received() throws ProtocolException;

    /** The client has taken bytes. */
    default void drained() {}

    /** The client has closed its connection, or it broke. */
    void gone();

    /** Whether more of the client's bytes are wanted at present. */
    default boolean wantsMore() {
        return true;
    }

    /** It failed by a fault of ours. */
    void abandon();

    /** The port closes: an idle client is told, one that is at work may end it. */
    void stop();
}
