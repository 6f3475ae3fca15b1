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
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client of the wire protocol whose bytes come and go as messages, such as those of a WebSocket. The threads of the other
 * side call {@link #received}, {@link #send} and {@link #gone}; the rest belongs to the loop. Bounded both ways: {@link #received}
 * blocks while the client is not read, and nothing more is taken from the relay while the peer does not send.
 */
public final class MessageClient {

    /** Bytes on their way to the peer, beyond which nothing more is taken. */
    private static final int ROOM = 64 * 1024;

    /** Messages from the peer that wait to be read. */
    private static final int MOST_MESSAGES = 4;

    private static final byte[] END = {};

    private final RelayLoop home;
    private final InetSocketAddress address;
    private final Semaphore places = new Semaphore(MOST_MESSAGES);
    private final LinkedBlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();
    private final AtomicInteger underway = new AtomicInteger();
    private volatile boolean closed;

    /** Belongs to the loop, as {@code handler} and {@code reads}. */
    private final ArrayDeque<byte[]> incoming = new ArrayDeque<>();

    /** So many bytes of the first one were read. */
    private int readOfFirst;

    private Loop.Ready handler = NOBODY;
    private boolean reads = true;

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
            places.acquire();
            home.loop().execute(this::failed, () -> arrived(message));
        }
    }

    /** The peer has gone. */
    public void gone() {
        home.loop().execute(this::failed, () -> arrived(END));
    }

    /** The next message for the peer. Blocks until there is one; an empty one says that the connection must be closed. */
    public byte[] send() throws InterruptedException {
        return outgoing.take();
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
        if (reads) {
            handler.ready(SelectionKey.OP_READ);
        }
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
                incoming.remove();
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
            if (from.size() > 0 && underway.get() < ROOM) {
                byte[] bytes = from.bytes();
                underway.addAndGet(bytes.length);
                outgoing.add(bytes);
            }
            return from.size() == 0;
        }

        @Override
        public void want(boolean read, boolean write) {
            reads = read;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                outgoing.add(END);
                places.release(incoming.size() + MOST_MESSAGES); // no thread waits any more
                incoming.clear();
            }
        }
    }
}
