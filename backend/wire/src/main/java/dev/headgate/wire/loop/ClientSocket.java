package dev.headgate.wire.loop;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** A client's socket, read and written without blocking, with or without TLS. Belongs to the loop's thread. */
public final class ClientSocket implements AutoCloseable {

    private final Loop loop;
    private final SocketChannel channel;
    private final InetSocketAddress address;
    private final SelectionKey key;
    private @Nullable Tls tls;
    private final FrameWriter.Sink plain = this::send;

    /** Watches it from now on, for reading. */
    public ClientSocket(Loop loop, SocketChannel channel, Loop.Ready handler) throws IOException {
        this.loop = loop;
        this.channel = channel;
        channel.configureBlocking(false);
        this.address = (InetSocketAddress) channel.getRemoteAddress();
        this.key = loop.watch(channel, SelectionKey.OP_READ, handler);
    }

    /** Where the client is. */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Speaks TLS from now on, as the server. Nothing that was written before may be left in a writer.
     *
     * @param release frees the engine; called once, after the socket was closed
     * @param moved called when arithmetic that was done elsewhere is done, and it may go on: read and write again
     */
    public void startTls(SSLEngine engine, Runnable release, Runnable moved, Consumer<Runnable> elsewhere) {
        tls = new Tls(engine, release, channel, loop, moved, elsewhere);
    }

    /** Whether TLS is spoken. */
    public boolean isSecure() {
        return tls != null;
    }

    /**
     * Feeds a reader with what is there, once.
     *
     * @return how many bytes; 0 for none at present, -1 at the end of the stream
     */
    public int read(FrameReader into) throws IOException {
        if (tls != null) {
            return tls.read(into);
        }
        byte[] scratch = loop.scratch();
        int got = channel.read(ByteBuffer.wrap(scratch));
        if (got > 0) {
            into.feed(scratch, 0, got);
        }
        return got;
    }

    /** Whether something was received that the selector knows nothing of: read again. */
    public boolean holdsMore() {
        return tls != null && tls.holdsMore();
    }

    /**
     * Sends what was written, as far as the socket takes it.
     *
     * @return whether all of it has left
     */
    public boolean write(FrameWriter from) throws IOException {
        if (tls != null) {
            return tls.write(from);
        }
        return from.size() == 0 || from.drain(plain);
    }

    private int send(byte[] bytes, int offset, int count) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, offset, count));
    }

    /** Asks to be told when it can be read or written. While TLS has no use for it, it is not asked for. */
    public void want(boolean read, boolean write) {
        boolean reads = read && (tls == null || tls.canRead());
        boolean writes = write && (tls == null || tls.canWrite());
        int operations = (reads ? SelectionKey.OP_READ : 0) | (writes ? SelectionKey.OP_WRITE : 0);
        if (key.isValid() && key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() {
        try (channel) {
            if (tls != null) {
                tls.close();
            }
        } catch (IOException | RuntimeException e) {
            // it is gone either way
        }
    }
}
