package dev.headgate.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;

/** A socket whose every write leaves in pieces. */
final class ChoppedSocket extends Socket {

    /** Writes the pieces. */
    interface Knife {
        void write(OutputStream to, byte[] bytes, int offset, int count) throws IOException;
    }

    private volatile Knife knife;

    ChoppedSocket(int port, Knife knife) throws IOException {
        super(InetAddress.getLoopbackAddress(), port);
        this.knife = knife;
        setTcpNoDelay(true);
    }

    static void oneByOne(OutputStream to, byte[] bytes, int offset, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            to.write(bytes, offset + i, 1);
        }
    }

    void use(Knife other) {
        knife = other;
    }

    /** Only TLS says that it is over. */
    @Override
    public void shutdownOutput() {}

    @Override
    public OutputStream getOutputStream() throws IOException {
        OutputStream to = super.getOutputStream();
        return new OutputStream() {
            @Override
            public void write(int single) throws IOException {
                to.write(single);
            }

            @Override
            public void write(byte[] bytes, int offset, int count) throws IOException {
                knife.write(to, bytes, offset, count);
            }
        };
    }
}
