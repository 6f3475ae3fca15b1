package dev.headgate.wire.loop;

import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** A client's non-blocking socket, with or without TLS. Belongs to the loop's thread. */
public final class ClientSocket implements Transport, AutoCloseable {

    private final Loop loop;
    private final SocketChannel channel;
    private final InetSocketAddress address;
    private final SelectionKey key;
    private @Nullable Tls tls;
    private volatile boolean encrypted;
    private final FrameWriter.Sink plain = this::send;

    /** Starts to watch it for reading. */
    public ClientSocket(Loop loop, SocketChannel channel, Loop.Ready handler) throws IOException {
        this.loop = loop;
        this.channel = channel;
        channel.configureBlocking(false);
        this.address = (InetSocketAddress) channel.getRemoteAddress();
        this.key = loop.watch(channel, SelectionKey.OP_READ, handler);
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Starts TLS, as the server. All bytes written before must have been sent.
     *
     * @param hello as for {@link Tls}
     * @param release frees the engine; called once, after the socket was closed
     * @param moved called when an engine's task that ran elsewhere is done: read and write again
     */
    public void startTls(
            SSLEngine engine, byte[] hello, Runnable release, Runnable moved, Consumer<Runnable> elsewhere) {
        encrypted = true;
        tls = new Tls(engine, hello, release, channel, loop, moved, elsewhere);
    }

    /** Whether TLS is in use. */
    public boolean isSecure() {
        return tls != null;
    }

    @Override
    public boolean isEncrypted() {
        return encrypted;
    }

    @Override
    public Optional<X509Certificate> certificate() {
        return tls == null ? Optional.empty() : tls.certificate();
    }

    @Override
    public int read(FrameReader into, int most) throws IOException {
        if (tls != null) {
            return tls.read(into, most);
        }
        byte[] scratch = loop.scratch();
        int got = channel.read(ByteBuffer.wrap(scratch, 0, Math.min(most, scratch.length)));
        if (got > 0) {
            into.feed(scratch, 0, got);
        }
        return got;
    }

    @Override
    public boolean holdsMore() {
        return tls != null && tls.holdsMore();
    }

    @Override
    public boolean write(FrameWriter from) throws IOException {
        if (tls != null) {
            return tls.write(from);
        }
        return from.size() == 0 || from.drain(plain);
    }

    @Override
    public int kept() {
        return tls == null ? 0 : tls.kept();
    }

    private int send(byte[] bytes, int offset, int count) throws IOException {
        return channel.write(ByteBuffer.wrap(bytes, offset, count));
    }

    /** {@inheritDoc} What TLS cannot use now is left out. */
    @Override
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
            // it is closed in either case
        }
    }
}
