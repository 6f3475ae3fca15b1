package dev.headgate.sql;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a {@link FakeServer} without a socket, and what may go wrong with it. Bytes arrive at once, unless the line is
 * {@linkplain #slow}: then they are on their way until somebody lets some of them arrive.
 */
final class FakeLine implements ServerChannel {

    /** The bytes that are on their way to the server, or that it does not read, at most. */
    static final int ROOM = 8 * 1024;

    /** The bytes of answers that wait at most, about: a server has buffers of its own and those of the socket. */
    static final int ANSWERS_ROOM = 16 * 1024;

    final String id;
    final FakeServer server = new FakeServer(ANSWERS_ROOM);

    private final FakeSelector.Channel channel = new FakeSelector.Channel(this::ready);
    private byte[] onTheWay = {};
    private int arrived;

    /** What the last relay left in its session. */
    @Nullable
    Leftovers left;

    /** Whether bytes arrive by {@link #arrive} and {@link #serve} alone. */
    boolean slow;

    /** The most bytes of one read, and of one write. */
    int mostAtOnce = Integer.MAX_VALUE;

    /** So many bytes of answers are left until the server closes the connection, be it within a message. */
    private long leftToRead = Long.MAX_VALUE;

    /** Nothing comes through any more, and nobody is told. */
    private boolean mute;

    private boolean reset;
    private long read;

    FakeLine(String id) throws IOException {
        this.id = id;
        channel.configureBlocking(false);
    }

    // ---- what happens to it

    /** The server closes the connection after so many further bytes. */
    void endAfter(long bytes) {
        leftToRead = bytes;
    }

    /** The connection breaks: a read fails. */
    void reset() {
        reset = true;
    }

    /** Nothing comes through from now on, and nobody is told. */
    void mute() {
        mute = true;
    }

    /** Some more bytes of the answers arrive. */
    void arrive(int bytes) {
        arrived = Math.min(arrived + bytes, server.unsent());
    }

    /** The bytes of answers that are on their way. */
    int toArrive() {
        return mute ? 0 : server.unsent() - arrived;
    }

    /** The server gets some of the bytes that are on their way. */
    void serve(int bytes) {
        int count = Math.min(bytes, onTheWay.length);
        byte[] some = Arrays.copyOf(onTheWay, count);
        onTheWay = Arrays.copyOfRange(onTheWay, count, onTheWay.length);
        server.take(some);
    }

    /** The bytes that are on their way to the server. */
    int toServe() {
        return mute ? 0 : onTheWay.length;
    }

    // ---- what is seen of it

    /** The bytes that were read so far. */
    long read() {
        return read;
    }

    boolean isMute() {
        return mute;
    }

    /** Whether the server or the network has ended it. */
    boolean isBroken() {
        return reset || leftToRead < Long.MAX_VALUE || server.hasEnded();
    }

    /** Whether all that was sent is executed, and all answers are read. */
    boolean isClean() {
        return onTheWay.length == 0
                && server.unread() == 0
                && server.unsent() == 0
                && !server.isBusy()
                && server.status() == 'I';
    }

    @Override
    public String toString() {
        return id + ": " + toServe() + " bytes to serve, " + server.unread() + " unread, " + toArrive() + " to arrive, "
                + readable() + " to read" + (server.isBusy() ? ", busy" : "");
    }

    private boolean isAtEnd() {
        return leftToRead == 0 || (server.hasEnded() && server.unsent() == 0);
    }

    private int readable() {
        return (int) Math.min(leftToRead, slow ? arrived : server.unsent());
    }

    private int ready() {
        if (mute) {
            return 0;
        }
        boolean reads = reset || isAtEnd() || readable() > 0;
        return (reads ? SelectionKey.OP_READ : 0) | (writable() > 0 ? SelectionKey.OP_WRITE : 0);
    }

    private int writable() {
        return Math.max(0, ROOM - onTheWay.length - server.backlog());
    }

    // ---- for the relay

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (mute) {
            return 0;
        }
        if (reset) {
            throw new IOException("the connection was reset");
        }
        if (isAtEnd()) {
            return -1;
        }
        int[] to = {offset};
        int got = server.deliver(Math.min(Math.min(count, mostAtOnce), readable()), (from, at, some) -> {
            System.arraycopy(from, at, bytes, to[0], some);
            to[0] += some;
            return some;
        });
        arrived -= slow ? got : 0;
        leftToRead -= leftToRead == Long.MAX_VALUE ? 0 : got;
        read += got;
        return got;
    }

    @Override
    public boolean mayHoldMore() {
        return false;
    }

    @Override
    public int write(byte[] bytes, int offset, int count) throws IOException {
        if (reset) {
            throw new IOException("the connection was reset");
        }
        int some = Math.min(Math.min(count, mostAtOnce), writable());
        int before = onTheWay.length;
        onTheWay = Arrays.copyOf(onTheWay, before + some);
        System.arraycopy(bytes, offset, onTheWay, before, some);
        if (!slow && !mute) {
            serve(onTheWay.length);
        }
        return some;
    }

    @Override
    public boolean flush() {
        return true;
    }
}
