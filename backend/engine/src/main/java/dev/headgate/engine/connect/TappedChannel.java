package dev.headgate.engine.connect;

import dev.headgate.engine.meter.TappedSocket;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** Gives a relay non-blocking access to a connection's socket. */
final class TappedChannel implements ServerChannel {

    private final TappedSocket socket;

    TappedChannel(TappedSocket socket) {
        this.socket = socket;
    }

    @Override
    public SocketChannel channel() {
        return socket.channel();
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        return socket.read(bytes, offset, count);
    }

    @Override
    public boolean mayHoldMore() {
        return socket.mayHoldMore();
    }

    @Override
    public int write(byte[] bytes, int offset, int count) throws IOException {
        return socket.write(bytes, offset, count);
    }

    @Override
    public boolean flush() throws IOException {
        return socket.flush();
    }
}
