package dev.headgate.engine.meter;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A socket over a channel that never blocks. It has two kinds of users, one at a time. JDBC reads and writes the streams,
 * which wait on their own selector ({@link Readiness}). A relay calls {@link #tryRead}, {@link #tryWrite} and
 * {@link #flushUnsent}, which do not wait. The channel's mode never changes. Interrupting a waiting thread is harmless,
 * while it would close a blocking channel.
 *
 * <h2>Under TLS</h2>
 *
 * The JDK's TLS socket uses streams only. While {@link #relaying} is on, the input stream throws a timeout instead of
 * waiting; the TLS socket can then be read again, even in the middle of a record. The output stream keeps what the socket
 * does not accept.
 *
 * <h2>Reading ahead</h2>
 *
 * A small buffer keeps two kinds of bytes: those read to check whether the server has closed the connection
 * ({@link #hasEnded}), and those of TLS records, whose headers would otherwise cost a system call each. Reads empty the
 * buffer first.
 *
 * <p>One thread reads and one writes at a time. Any thread may call {@link #close} and the options.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the channel does its own locking
class NonBlockingSocket extends SocketOverChannel {

    /** More than a server's last messages need. */
    private static final int SMALL_AHEAD = 1024;

    /** The largest TLS record and the header of the next. */
    private static final int LARGE_AHEAD = 17 * 1024;

    /** The most bytes of one write, because the JDK copies all bytes of a write at each attempt. */
    private static final int LARGEST_TRANSFER = 64 * 1024;

    private static final byte[] NOTHING = {};

    /** Thrown often, so created once. */
    private final SocketTimeoutException nothingNow = new SocketTimeoutException("nothing to read now");

    private final Readiness connectable;
    private final Readiness readable;
    private final Readiness writable;
    private volatile int timeoutMillis;

    /** Set during the calls of a non-blocking user. Only the user's thread uses it. */
    private boolean relaying;

    private boolean readsLargeAhead;

    // used only by the reading thread

    private byte[] ahead = NOTHING;
    private int aheadAt;
    private int aheadEnd;
    private boolean ended;

    /** The last read emptied the socket, so the next one should wait first. */
    private boolean drained;

    // used only by the writing thread

    private byte[] unsent = NOTHING;
    private int unsentAt;
    private int unsentEnd;

    NonBlockingSocket() throws IOException {
        super(SocketChannel.open());
        try {
            channel.configureBlocking(false);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        connectable = new Readiness(channel, SelectionKey.OP_CONNECT);
        readable = new Readiness(channel, SelectionKey.OP_READ);
        writable = new Readiness(channel, SelectionKey.OP_WRITE);
    }

    // ---- non-blocking use

    public SocketChannel channel() {
        return channel;
    }

    /** While on, the streams do not block. */
    void relaying(boolean on) {
        relaying = on;
    }

    /** Reads ahead up to the size of a TLS record from now on. */
    void readLargeAhead() {
        readsLargeAhead = true;
    }

    int tryRead(byte[] bytes, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (aheadAt == aheadEnd) {
            if (ended) {
                return -1;
            }
            if (!readsLargeAhead || count >= LARGE_AHEAD) {
                return channel.read(ByteBuffer.wrap(bytes, offset, Math.min(count, LARGEST_TRANSFER)));
            }
            if (!readAhead(LARGE_AHEAD)) {
                return ended ? -1 : 0;
            }
        }
        int here = Math.min(count, aheadEnd - aheadAt);
        System.arraycopy(ahead, aheadAt, bytes, offset, here);
        aheadAt += here;
        return here;
    }

    /** Reads once into the rest of the buffer. Returns whether it read bytes. */
    private boolean readAhead(int size) throws IOException {
        if (aheadAt == aheadEnd) {
            aheadAt = 0;
            aheadEnd = 0;
        }
        if (ahead.length < size) {
            ahead = Arrays.copyOf(ahead, size);
        }
        int got = channel.read(ByteBuffer.wrap(ahead, aheadEnd, ahead.length - aheadEnd));
        ended |= got < 0;
        aheadEnd += Math.max(0, got);
        return got > 0;
    }

    int tryWrite(byte[] bytes, int offset, int count) throws IOException {
        if (!flushUnsent()) {
            return 0;
        }
        int sent = 0;
        while (sent < count) {
            int part = Math.min(count - sent, LARGEST_TRANSFER);
            int taken = channel.write(ByteBuffer.wrap(bytes, offset + sent, part));
            sent += taken;
            if (taken < part) {
                break;
            }
        }
        return sent;
    }

    boolean flushUnsent() throws IOException {
        if (unsentAt < unsentEnd) {
            unsentAt += channel.write(ByteBuffer.wrap(unsent, unsentAt, unsentEnd - unsentAt));
            if (unsentAt < unsentEnd) {
                return false;
            }
            unsentAt = 0;
            unsentEnd = 0;
        }
        return true;
    }

    /** Keeps bytes for {@link #flushUnsent}. They are few, because TLS gets one record at a time. */
    private void keepUnsent(byte[] bytes, int offset, int count) {
        if (unsentEnd + count > unsent.length) {
            unsent = Arrays.copyOf(unsent, Math.max(LARGE_AHEAD, unsentEnd + count));
        }
        System.arraycopy(bytes, offset, unsent, unsentEnd, count);
        unsentEnd += count;
    }

    /** As {@link TappedSocket#hasEnded}. */
    public boolean hasEnded() {
        try {
            int size = readsLargeAhead ? LARGE_AHEAD : SMALL_AHEAD;
            while (!ended && aheadEnd < size && readAhead(size)) {
                drained = false;
            }
            return ended;
        } catch (IOException e) {
            return true; // reset, or closed by us
        }
    }

    // ---- blocking streams

    private final InputStream input = new InputStream() {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) throws IOException {
            Objects.checkFromIndexSize(offset, count, bytes.length);
            try {
                return readWaiting(bytes, offset, count);
            } catch (ClosedChannelException e) {
                throw new SocketException("Socket closed");
            }
        }

        @Override
        public int available() throws IOException {
            if (aheadAt == aheadEnd && !ended) {
                readAhead(SMALL_AHEAD);
            }
            return aheadEnd - aheadAt;
        }

        @Override
        public void close() throws IOException {
            NonBlockingSocket.this.close();
        }
    };

    private int readWaiting(byte[] bytes, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        long deadline = 0;
        boolean waitFirst = drained && !relaying && aheadAt == aheadEnd && !ended;
        for (; ; ) {
            if (!waitFirst) {
                int got = tryRead(bytes, offset, count);
                if (got != 0) {
                    drained = got > 0 && got < count && aheadAt == aheadEnd;
                    return got;
                }
                if (relaying) {
                    throw nothingNow;
                }
            }
            waitFirst = false;
            int limit = timeoutMillis;
            if (limit == 0) {
                readable.await(0);
                continue;
            }
            long now = System.nanoTime();
            if (deadline == 0) {
                deadline = now + TimeUnit.MILLISECONDS.toNanos(limit);
            }
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - now + 999_999);
            if (leftMillis <= 0 || !readable.await(leftMillis)) {
                throw new SocketTimeoutException("Read timed out");
            }
        }
    }

    private final OutputStream output = new OutputStream() {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int count) throws IOException {
            Objects.checkFromIndexSize(offset, count, bytes.length);
            try {
                int sent = tryWrite(bytes, offset, count);
                if (relaying) {
                    keepUnsent(bytes, offset + sent, count - sent);
                    return;
                }
                while (sent < count || !flushUnsent()) {
                    writable.await(0);
                    sent += tryWrite(bytes, offset + sent, count - sent);
                }
            } catch (ClosedChannelException e) {
                throw new SocketException("Socket closed");
            }
        }

        @Override
        public void close() throws IOException {
            NonBlockingSocket.this.close();
        }
    };

    @Override
    public InputStream getInputStream() throws IOException {
        return input;
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return output;
    }

    @Override
    public void setSoTimeout(int millis) throws SocketException {
        if (millis < 0) {
            throw new IllegalArgumentException("a timeout is not negative: " + millis);
        }
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    // ---- opening and closing

    @Override
    public void connect(SocketAddress to) throws IOException {
        connect(to, 0);
    }

    /** Connects within the given time. Closes the socket if that fails. */
    @Override
    public void connect(SocketAddress to, int limitMillis) throws IOException {
        try {
            if (to instanceof InetSocketAddress address && address.isUnresolved()) {
                throw new UnknownHostException(address.getHostString());
            }
            long began = System.nanoTime();
            boolean connected = channel.connect(to);
            while (!connected) {
                long left = limitMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                if (limitMillis > 0 && (left <= 0 || !connectable.await(left))) {
                    throw new SocketTimeoutException("Connect timed out");
                }
                if (limitMillis == 0) {
                    connectable.await(0);
                }
                connected = channel.finishConnect();
            }
            connectable.close();
            SilentDeath.notice(channel);
        } catch (ClosedChannelException e) {
            throw new SocketException("Socket closed");
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Ends the waits of reading and writing threads. From any thread. Never waits for the peer. */
    @Override
    public void close() throws IOException {
        connectable.close();
        readable.close();
        writable.close();
        channel.close();
    }
}
