package dev.headgate.wire.loop;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import org.jspecify.annotations.Nullable;

/**
 * TLS over a channel that does not block, as the server. Records are built and taken apart in buffers of the loop; of its own
 * it keeps only half a record that came, and what the socket has not taken. Belongs to the loop's thread; the handshake's
 * arithmetic is done elsewhere.
 */
final class Tls implements FrameWriter.Sink {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine engine;
    private final SocketChannel channel;
    private final Loop loop;
    private final Runnable moved;
    private final Consumer<Runnable> elsewhere;

    /** Bytes that came and do not make a record yet, or have no room. */
    private byte @Nullable [] kept;

    /** Records that the socket has not taken. */
    private @Nullable ByteBuffer unsent;

    private boolean holdsMore;
    private boolean busyElsewhere;

    Tls(SSLContext context, SocketChannel channel, Loop loop, Runnable moved, Consumer<Runnable> elsewhere) {
        this.channel = channel;
        this.loop = loop;
        this.moved = moved;
        this.elsewhere = elsewhere;
        this.engine = context.createSSLEngine();
        engine.setUseClientMode(false);
    }

    boolean holdsMore() {
        return holdsMore && !busyElsewhere;
    }

    int read(FrameReader into) throws IOException {
        if (busyElsewhere) {
            return 0;
        }
        ByteBuffer arrived = loop.tlsBuffers().arrived.clear();
        byte[] before = kept;
        if (before != null) {
            arrived.put(before);
            kept = null;
        }
        int got = holdsMore ? 0 : channel.read(arrived);
        arrived.flip();
        holdsMore = false;
        int decrypted = unwrap(arrived, into);
        if (arrived.hasRemaining()) {
            byte[] rest = new byte[arrived.remaining()];
            arrived.get(rest);
            kept = rest;
        }
        return decrypted > 0 ? decrypted : got < 0 || engine.isInboundDone() ? -1 : 0;
    }

    private int unwrap(ByteBuffer arrived, FrameReader into) throws IOException {
        ByteBuffer clear = ByteBuffer.wrap(loop.scratch());
        boolean going = true;
        while (going && !busyElsewhere) {
            SSLEngineResult result = engine.unwrap(arrived, clear);
            going = switch (result.getStatus()) {
                case OK -> arrived.hasRemaining() || result.bytesProduced() > 0;
                case BUFFER_OVERFLOW -> {
                    if (clear.position() == 0) {
                        throw new IOException("a TLS record is longer than any may be");
                    }
                    holdsMore = true; // after what is here has been taken
                    yield false;
                }
                case BUFFER_UNDERFLOW, CLOSED -> false;
            };
            going |= handshake(result.getHandshakeStatus()) && arrived.hasRemaining();
        }
        if (clear.position() > 0) {
            into.feed(loop.scratch(), 0, clear.position());
        }
        return clear.position();
    }

    /** @return whether the peer's next record is to be looked at */
    private boolean handshake(HandshakeStatus first) throws IOException {
        HandshakeStatus status = first;
        while (status == HandshakeStatus.NEED_WRAP) {
            ByteBuffer leaving = loop.tlsBuffers().leaving.clear();
            SSLEngineResult result = engine.wrap(NOTHING.duplicate(), leaving);
            send(leaving.flip());
            status = result.getHandshakeStatus();
            if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
                return false;
            }
        }
        if (status == HandshakeStatus.NEED_TASK) {
            compute();
        }
        return status == HandshakeStatus.NEED_UNWRAP;
    }

    private void compute() {
        Runnable task = engine.getDelegatedTask();
        if (task == null) {
            return;
        }
        busyElsewhere = true;
        elsewhere.accept(() -> {
            try {
                for (Runnable next = task; next != null; next = engine.getDelegatedTask()) {
                    next.run();
                }
            } finally {
                loop.execute(() -> {
                    busyElsewhere = false;
                    holdsMore = true; // what came meanwhile may be kept
                    goOn();
                });
            }
        });
    }

    private void goOn() {
        try {
            handshake(engine.getHandshakeStatus());
        } catch (IOException broken) {
            // the next read or write says so
        }
        moved.run();
    }

    // ---- to the client

    @Override
    public int take(byte[] bytes, int offset, int count) throws IOException {
        if (!flush() || busyElsewhere) {
            return 0;
        }
        ByteBuffer clear = ByteBuffer.wrap(bytes, offset, count);
        while (clear.hasRemaining() && unsent == null) {
            ByteBuffer leaving = loop.tlsBuffers().leaving.clear();
            SSLEngineResult result = engine.wrap(clear, leaving);
            if (result.getStatus() != SSLEngineResult.Status.OK) {
                throw new IOException("TLS cannot send: " + result.getStatus());
            }
            send(leaving.flip());
            if (result.bytesConsumed() == 0 && !handshakes(result)) {
                break;
            }
        }
        return clear.position() - offset;
    }

    private boolean handshakes(SSLEngineResult result) throws IOException {
        HandshakeStatus status = result.getHandshakeStatus();
        if (status == HandshakeStatus.NEED_TASK) {
            compute();
        }
        return status == HandshakeStatus.NEED_WRAP;
    }

    private void send(ByteBuffer records) throws IOException {
        ByteBuffer waiting = unsent;
        if (waiting == null) {
            channel.write(records);
        }
        if (records.hasRemaining()) {
            int held = waiting == null ? 0 : waiting.remaining();
            ByteBuffer all = ByteBuffer.allocate(held + records.remaining());
            if (waiting != null) {
                all.put(waiting);
            }
            unsent = all.put(records).flip();
        }
    }

    /** Sends what the socket had no room for. @return whether nothing is left */
    boolean flush() throws IOException {
        ByteBuffer waiting = unsent;
        if (waiting != null) {
            channel.write(waiting);
            if (waiting.hasRemaining()) {
                return false;
            }
            unsent = null;
        }
        return true;
    }

    /** Ends the stream as TLS wants it, if there is room for that. */
    void sayGoodbye() throws IOException {
        if (busyElsewhere || unsent != null || !channel.isOpen()) {
            return;
        }
        engine.closeOutbound();
        ByteBuffer leaving = loop.tlsBuffers().leaving.clear();
        engine.wrap(NOTHING.duplicate(), leaving);
        channel.write(leaving.flip());
    }
}
