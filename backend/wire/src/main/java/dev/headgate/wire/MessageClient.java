package dev.headgate.wire;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client of the wire protocol whose bytes come and go as messages, such as those of a WebSocket. The threads of the other
 * side call {@link #received}, {@link #send}, {@link #gone} and {@link #broken}; the rest belongs to the loop. Bounded both ways:
 * {@link #received} blocks while the client is not read, and nothing more is taken from the relay while the peer does not send.
 *
 * <p>While {@link #received} blocks, nobody sees that the peer has gone. So {@link #send} then gives out a {@linkplain #isProbe probe}
 * every second: sending it fails where there is no peer any more.
 */
public final class MessageClient {

    /** Bytes on their way to the peer, beyond which nothing more is taken. */
    private static final int ROOM = 64 * 1024;

    /** Messages from the peer that wait to be read. */
    private static final int MOST_MESSAGES = 4;

    private static final byte[] END = {};
    private static final byte[] PROBE = {};
    private static final long PROBE_EVERY_MILLIS = 1_000;

    private final RelayLoop home;
    private final InetSocketAddress address;
    private final Semaphore places = new Semaphore(MOST_MESSAGES);
    private final LinkedBlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
    private final AtomicInteger underway = new AtomicInteger();
    private volatile boolean closed;

    /** Belongs to the loop, as do the fields below. */
    private final ArrayDeque<byte[]> incoming = new ArrayDeque<>();

    /** Bytes of all of them. */
    private int waiting;

    /** So many bytes of the first one were read. */
    private int readOfFirst;

    private Loop.Ready handler = NOBODY;
    private boolean reads = true;

    /** The peer sends nothing more. */
    private boolean over;

    /** The peer takes nothing more. */
    private boolean cut;

    private static final Loop.Ready NOBODY = new Loop.Ready() {
        @Override
        public void ready(int operations) {}

        @Override
        public void failed(Throwable fault) {}
    };

    MessageClient(RelayLoop home, InetSocketAddress address) {
        this.home = home;
        this.address = address;
    }

    // ---- for the threads of the other side

    /** A message has come from the peer. Blocks while others wait to be read. */
    public void received(byte[] message) throws InterruptedException {
        if (message.length > 0) {
            while (!places.tryAcquire(PROBE_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                if (outgoing.isEmpty()) {
                    outgoing.add(PROBE);
                }
            }
            home.loop().execute(this::failed, () -> arrived(message));
        }
    }

    /** The peer has gone. What has come from it is read as far as nothing has to be waited for. */
    public void gone() {
        home.loop().execute(this::failed, () -> {
            over = true;
            arrived(END);
            cutIfHeldUp();
        });
    }

    /** The peer has gone, since a message could not be sent to it. */
    public void broken() {
        home.loop().execute(this::failed, this::cut);
    }

    /**
     * The next message for the peer. Blocks until there is one, which may be an {@linkplain #isEnd end} or a
     * {@linkplain #isProbe probe}.
     */
    public byte[] send() throws InterruptedException {
        return outgoing.take();
    }

    /** Whether a message from {@link #send} says that the connection must be closed. */
    @SuppressWarnings("ReferenceEquality") // none has another content
    public static boolean isEnd(byte[] message) {
        return message == END;
    }

    /** Whether a message from {@link #send} asks for any sign of life that the peer's protocol has, instead of a message. */
    @SuppressWarnings("ReferenceEquality")
    public static boolean isProbe(byte[] message) {
        return message == PROBE;
    }

    /** A message from {@link #send} has left. */
    public void sent(byte[] message) {
        underway.addAndGet(-message.length);
        home.loop().execute(this::failed, () -> handler.ready(SelectionKey.OP_WRITE));
    }

    // ---- on the loop

    private void arrived(byte[] message) {
        if (closed) {
            places.release();
            return;
        }
        incoming.add(message);
        waiting += message.length;
        if (reads) {
            handler.ready(SelectionKey.OP_READ);
        }
    }

    /** Nobody takes the answers that the rest of what came would have to wait for. */
    private void cutIfHeldUp() {
        if (over && !reads && !closed) {
            cut();
        }
    }

    private void cut() {
        cut = true;
        handler.ready(SelectionKey.OP_WRITE); // and so learns of it, read or not
    }

    private void failed(Throwable fault) {
        handler.failed(fault);
    }

    /** The transport of the client's line. */
    Transport open(Loop.Ready ready) {
        handler = ready;
        return new Messages();
    }

    private final class Messages implements Transport {

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public int read(FrameReader into, int most) {
            byte[] next = incoming.peek();
            if (next == null) {
                return 0;
            }
            if (next.length == 0) {
                return -1;
            }
            int count = Math.min(most, next.length - readOfFirst);
            into.feed(next, readOfFirst, count);
            readOfFirst += count;
            if (readOfFirst == next.length) {
                readOfFirst = 0;
                waiting -= incoming.remove().length;
                places.release();
            }
            return count;
        }

        @Override
        public boolean holdsMore() {
            return !incoming.isEmpty();
        }

        @Override
        public boolean write(FrameWriter from) throws IOException {
            if (cut) {
                throw new IOException("the peer has gone");
            }
            if (from.size() > 0 && underway.get() < ROOM) {
                byte[] bytes = from.bytes();
                underway.addAndGet(bytes.length);
                outgoing.add(bytes);
            }
            return from.size() == 0;
        }

        @Override
        public int kept() {
            return waiting + underway.get();
        }

        @Override
        public void want(boolean read, boolean write) {
            reads = read;
            if (over && !read) {
                home.loop().execute(MessageClient.this::failed, MessageClient.this::cutIfHeldUp);
            }
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                outgoing.add(END);
                places.release(incoming.size() + MOST_MESSAGES); // no thread waits any more
                incoming.clear();
                waiting = 0;
            }
        }
    }
}
