package dev.headgate.server.live;

import java.io.IOException;
import org.springframework.web.socket.CloseStatus;

/** The connection to one client. Used only by that client's thread. */
interface Line {

    /**
     * Sends a part of a text frame; blocks until the socket has taken it.
     *
     * @param last whether the frame ends with it
     * @throws IOException if the client is gone, or did not read for too long; the line is dead then
     */
    void send(String part, boolean last) throws IOException;

    /** Ends the line. Does nothing if it has ended. */
    void close(CloseStatus reason);

    /** Whether the line's user is still authorised. */
    boolean isAllowed();
}
