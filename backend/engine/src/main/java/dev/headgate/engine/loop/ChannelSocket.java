package dev.headgate.engine.loop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A socket that waits as its reader does. A virtual thread of an {@link EventLoop} waits by the loop's selector; any other
 * thread blocks in the socket itself. One may follow the other on the same connection, as a relay follows JDBC: whoever
 * reads first after a change of hands switches the channel over.
 *
 * <p>One thread reads and one writes at a time, both of the same loop or neither of any; what another thread writes takes
 * the connection from the loop only where it does not fit into the socket. {@link #close} and the options are for every
 * thread. A virtual thread that closes a socket of a loop leaves that to the loop's thread and does not wait for it.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel does its own locking
public class ChannelSocket extends Socket {

    private final SocketChannel channel;
    private final Socket blocking;
    private volatile int timeoutMillis;

    /** Where it is watched at present; null while it blocks. */
    private volatile @Nullable Waits waits;

    /** Set before anything else at the close, which may take place later. */
    private volatile boolean closing;

    /** The last read took all there was, as far as one can know. */
    private boolean drained;

    /** One that is not connected yet. */
    public ChannelSocket() throws IOException {
        this(SocketChannel.open());
    }

    /** One over a channel that blocks; the channel is this socket's from now on. */
    public ChannelSocket(SocketChannel channel) {
        this.channel = channel;
        this.blocking = channel.socket();
    }

    // ---- bytes

    private final InputStream input = new InputStream() {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            EventLoop loop = EventLoop.current();
            if (loop != null) {
                return readOn(loop, bytes, offset, count);
            }
            leaveLoop();
            return blocking.getInputStream().read(bytes, offset, count);
        }

        @Override
        public int available() throws IOException {
            leaveLoop();
            return blocking.getInputStream().available();
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    };

    private final OutputStream output = new OutputStream() {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            EventLoop loop = EventLoop.current();
            ByteBuffer left = ByteBuffer.wrap(bytes, offset, count);
            if (loop != null) {
                writeOn(loop, left);
                return;
            }
            if (waits != null) {
                channel.write(left); // a last word, which fits: whoever reads on the loop goes on
            }
            if (left.hasRemaining()) {
                leaveLoop();
                blocking.getOutputStream().write(bytes, left.position(), left.remaining());
            }
        }

        @Override
        public void close() throws IOException {
            ChannelSocket.this.close();
        }
    };

    private int readOn(EventLoop loop, byte[] bytes, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        ByteBuffer into = ByteBuffer.wrap(bytes, offset, count);
        Waits here = waitsOn(loop);
        for (; ; ) {
            if (!drained) {
                int got = channel.read(into);
                if (got != 0) {
                    drained = got > 0 && got < count;
                    return got;
                }
            }
            here.awaitReadable(timeoutMillis);
            drained = false;
            checkStays(here);
        }
    }

    private void writeOn(EventLoop loop, ByteBuffer bytes) throws IOException {
        Waits here = waitsOn(loop);
        channel.write(bytes);
        while (bytes.hasRemaining()) {
            here.awaitWritable();
            checkStays(here);
            channel.write(bytes);
        }
    }

    private static void checkStays(Waits here) throws SocketException {
        if (here.hasEnded()) {
            throw new SocketException("Socket closed");
        }
    }

    private Waits waitsOn(EventLoop loop) throws IOException {
        Waits present = waits;
        return present != null && present.isOn(loop) ? present : loop.ask(() -> watchedBy(loop));
    }

    private Waits watchedBy(EventLoop loop) throws IOException {
        block();
        try {
            channel.configureBlocking(false);
            Waits fresh = loop.watch(channel);
            drained = false;
            waits = fresh;
            if (closing) {
                end(fresh); // by one who did not see it
            }
            return fresh;
        } catch (ClosedChannelException closed) {
            throw new SocketException("Socket closed");
        }
    }

    /** Blocks from now on, as sockets do. */
    private void leaveLoop() throws IOException {
        Waits present = waits;
        if (present != null) {
            present.loop().ask(() -> {
                block();
                return true;
            });
        }
    }

    private void block() throws IOException {
        Waits present = waits;
        if (present != null) {
            waits = null;
            present.end();
            if (channel.isOpen()) {
                channel.configureBlocking(true);
            }
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return input;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return output;
    }

    @Override
    public void close() throws IOException {
        closing = true;
        Waits present = waits;
        EventLoop current = EventLoop.current();
        if (!Thread.currentThread().isVirtual() || (present == null && current == null)) {
            end(present);
            return;
        }
        if (present != null) {
            present.leave();
        }
        EventLoop ends =
                current != null ? current : Objects.requireNonNull(present).loop();
        ends.later(() -> {
            try {
                end(present);
            } catch (IOException e) {
                // it is gone either way
            }
        });
    }

    private void end(@Nullable Waits present) throws IOException {
        channel.close();
        if (present != null) {
            present.end();
        }
    }

    // ---- what is left to the channel's own socket

    @Override
    public void connect(SocketAddress to, int timeout) throws IOException {
        blocking.connect(to, timeout);
    }

    @Override
    public void connect(SocketAddress to) throws IOException {
        blocking.connect(to);
    }

    @Override
    public void bind(@Nullable SocketAddress from) throws IOException {
        blocking.bind(from);
    }

    @Override
    public InetAddress getInetAddress() {
        return blocking.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return blocking.getLocalAddress();
    }

    @Override
    public int getPort() {
        return blocking.getPort();
    }

    @Override
    public int getLocalPort() {
        return blocking.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return blocking.getRemoteSocketAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return blocking.getLocalSocketAddress();
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        blocking.setSoTimeout(millis);
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        blocking.setTcpNoDelay(on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return blocking.getTcpNoDelay();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        blocking.setKeepAlive(on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return blocking.getKeepAlive();
    }

    @Override
    public void setSoLinger(boolean on, int linger) throws SocketException {
        blocking.setSoLinger(on, linger);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return blocking.getSoLinger();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        blocking.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return blocking.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        blocking.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return blocking.getReceiveBufferSize();
    }

    @Override
    public void shutdownInput() throws IOException {
        blocking.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        blocking.shutdownOutput();
    }

    @Override
    public boolean isConnected() {
        return blocking.isConnected();
    }

    @Override
    public boolean isBound() {
        return blocking.isBound();
    }

    @Override
    public boolean isClosed() {
        return closing || blocking.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return blocking.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return blocking.isOutputShutdown();
    }

    @Override
    public String toString() {
        return blocking.toString();
    }
}
