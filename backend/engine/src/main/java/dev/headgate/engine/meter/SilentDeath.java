package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** The death of a peer that cannot say so: its machine has lost its power or its network. */
public final class SilentDeath {

    private SilentDeath() {}

    /**
     * Makes the system notice within two minutes that a silent peer is gone.
     *
     * @throws IOException if the channel is closed
     */
    public static void notice(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPCOUNT)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 15);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 4);
        }
    }
}
