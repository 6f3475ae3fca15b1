package dev.headgate.wire;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: its transport, the bytes to and from it, and the current conversation. Belongs to its loop's thread.
 */
final class ClientLine implements ClientEnd, Loop.Ready {

    private static final Logger LOG = System.getLogger(ClientLine.class.getName());

    /** How long a client may take to receive its last message, and to send the one that it is in. */
    private static final long LAST_WORDS_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The most reads per turn, so that a fast client does not delay the others. */
    private static final int MOST_READS = 4;

    final Loop loop;
    final Transport transport;
    final FrameReader in = new FrameReader();
    final FrameWriter out;
    private final Consumer<ClientLine> onClosed;
    private Conversation conversation = NOBODY;
    private boolean closing;
    private boolean closed;

    /** While it closes: so many bytes of the client's last message have not come. */
    private int coming;

    /** Closes it if the client takes too long for that. */
    private Loop.@Nullable Timer lastWords;

    private volatile long bytesIn;
    private long bytesInSoFar;
    private volatile long bytesOut;
    private long bytesOutSoFar;

    /**
     * Starts to watch the client.
     *
     * @param onClosed called once, when it is closed
     */
    ClientLine(RelayLoop home, Transport.Opening transport, Consumer<ClientLine> onClosed) throws IOException {
        this.loop = home.loop();
        this.out = new FrameWriter(home.buffers());
        this.onClosed = onClosed;
        this.transport = transport.open(this);
    }

    /** The conversation until the first one begins. */
    private static final Conversation NOBODY = new Conversation() {
        @Override
        public void received() {}

        @Override
        public void gone() {}

        @Override
        public void abandon() {}

        @Override
        public void stop() {}
    };

    @Override
    public FrameReader in() {
        return in;
    }

    @Override
    public FrameWriter out() {
        return out;
    }

    @Override
    public int untaken() {
        return out.kept() + transport.kept();
    }

    void speak(Conversation next) {
        conversation = next;
    }

    Conversation conversation() {
        return conversation;
    }

    @Override
    public void ready(int operations) {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            flush();
            if (!closed) {
                conversation.drained();
            }
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            read();
        }
        settle();
    }

    private void read() {
        boolean more = true;
        for (int reads = 0; more && reads < MOST_READS && !closing && !closed; reads++) {
            int most = conversation.wanted();
            if (most == 0) {
                return;
            }
            int got = take(in, most);
            if (got < 0) {
                in.keep();
                gone();
                return;
            }
            if (got > 0) {
                receive();
                loop.wipe(got);
            }
            more = got == most || transport.holdsMore(); // a client that has got a connection may be read further
        }
    }

    /** @return how many bytes have come; -1 if none will */
    private int take(FrameReader into, int most) {
        try {
            int got = transport.read(into, most);
            bytesInSoFar += Math.max(0, got);
            bytesIn = bytesInSoFar;
            return got;
        } catch (IOException broken) {
            LOG.log(Logger.Level.DEBUG, () -> "A connection of the wire port broke: " + broken.getMessage());
            return -1;
        }
    }

    /**
     * Takes and forgets the rest of the message that the client is sending while it is closed. A client that is cut off in the
     * middle of one is told of a broken pipe by its system, and may never read why.
     */
    private void drain() {
        FrameReader dropped = new FrameReader();
        int got = take(dropped, Transport.ANY);
        dropped.discard();
        if (got > 0) {
            coming -= got;
            loop.wipe(got);
        }
        if (got < 0 || coming <= 0) {
            closeNow();
        }
    }

    private void receive() {
        try {
            conversation.received();
        } catch (ProtocolException refused) {
            refuse(refused);
        } finally {
            in.keep();
        }
    }

    /** Passes bytes that arrived earlier to a conversation that has just begun. */
    void receiveAgain() {
        if (in.buffered() > 0) {
            receive();
        }
    }

    /** Ends the conversation with an error that says why. */
    void refuse(ProtocolException why) {
        Fields.error(out, "FATAL", why.sqlState(), why.getMessage(), "");
        conversation.gone();
        close();
    }

    private void gone() {
        closeNow();
        conversation.gone();
    }

    /** Sends written bytes and sets the selector's interest. Called after every change of either. */
    @Override
    public void settle() {
        if (closed) {
            return;
        }
        boolean sent = flush();
        if (closed) {
            return;
        }
        if (closing && sent) {
            drain();
            if (closed) {
                return;
            }
        }
        boolean reads = closing ? sent : conversation.wanted() > 0;
        transport.want(reads, !sent);
        if (reads && transport.holdsMore()) {
            loop.execute(this, () -> ready(SelectionKey.OP_READ));
        }
    }

    /** @return whether all written bytes are sent */
    private boolean flush() {
        if (closed) {
            return false;
        }
        int before = out.size();
        if (before == 0) {
            return send();
        }
        boolean sent = send();
        if (!closed) {
            bytesOutSoFar += before - out.size();
            bytesOut = bytesOutSoFar;
        }
        return sent;
    }

    private boolean send() {
        try {
            return transport.write(out);
        } catch (IOException broken) {
            gone();
            return false;
        }
    }

    /** Closes the connection when the written bytes are sent and the client is not in the middle of a message, and soon in any case. */
    @Override
    public void close() {
        if (!closing && !closed) {
            closing = true;
            coming = in.left() - in.here();
            lastWords = loop.at(this, loop.now() + LAST_WORDS_NANOS, this::closeNow);
            loop.execute(this, this::settle);
        }
    }

    @Override
    public void closeNow() {
        if (!closed) {
            closed = true;
            if (lastWords != null) {
                lastWords.cancel();
            }
            transport.close();
            out.discard();
            onClosed.accept(this);
        }
    }

    /** Bytes that it has sent, above TLS. Any thread. */
    long bytesIn() {
        return bytesIn;
    }

    /** Bytes that it was sent, above TLS. Any thread. */
    long bytesOut() {
        return bytesOut;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void failed(Throwable fault) {
        try {
            conversation.abandon();
        } finally {
            closeNow();
        }
    }
}
