package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Optional;

/** What carries a client's bytes: a socket, or messages of something else. Belongs to its loop's thread. Nothing here blocks. */
public interface Transport {

    /** As many bytes as are there. */
    int ANY = Integer.MAX_VALUE;

    /** Opens the transport of a client. */
    @FunctionalInterface
    interface Opening {
        /** @param handler is told when there is something to read, or room to write */
        Transport open(Loop.Ready handler) throws IOException;
    }

    /** The client's address. */
    InetSocketAddress address();

    /**
     * Passes the available bytes to a reader, once.
     *
     * @param most about how many; a record of TLS is read as a whole
     * @return how many bytes; 0 if there are none now, -1 at the end of the stream
     */
    int read(FrameReader into, int most) throws IOException;

    /** Whether received bytes are waiting that the handler is not told of: read again. */
    boolean holdsMore();

    /**
     * Sends written bytes as far as they are accepted now.
     *
     * @return whether all are sent
     */
    boolean write(FrameWriter from) throws IOException;

    /** Bytes of its own buffers: received and not passed on, or taken and not sent. */
    default int kept() {
        return 0;
    }

    /** Sets the interest in reading and writing. */
    void want(boolean read, boolean write);

    /** Whether what it carries is encrypted here. Any thread. */
    default boolean isEncrypted() {
        return false;
    }

    /** The certificate that the client was shown where what it carries is encrypted. Empty otherwise, or if it is not known. */
    default Optional<X509Certificate> certificate() {
        return Optional.empty();
    }

    void close();
}
