package dev.headgate.engine.meter;

import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the sockets of one physical connection; named to pgjdbc as its {@code socketFactory}.
 *
 * <p>pgjdbc makes the factory itself, by class name, so the meter cannot be handed in. It is bound to a {@link ScopedValue}
 * around the connect instead, which happens on one thread because the driver's own login timeout (that would connect on
 * another) is not used; no static state remains. An {@code sslmode} retry asks the same factory for a second socket before
 * the connection is ready; once it is ready, a further socket can only be for a cancel request, which is neither measured
 * nor counted (the server takes it without a connection slot).
 */
public final class TapSocketFactory extends SocketFactory {

    /** What a connect is for. */
    public interface Tapping {
        ConnectionMeter meter();

        /** A socket is about to be opened; waits for its place in the budget. */
        Place socketOpens() throws java.io.IOException;

        /** This is what the server is spoken to over from now on. */
        void speaksOver(TappedSocket socket);
    }

    /** One socket's place in the budget. */
    public interface Place {
        /** The socket that has it. */
        void taken(Socket socket);

        /** The socket is closed, or could not be opened. May be called more than once. */
        void close();
    }

    /** Bound around every connect. */
    public static final ScopedValue<Tapping> TAPPING = ScopedValue.newInstance();

    private final Tapping tapping;

    /** Called by pgjdbc. */
    public TapSocketFactory() {
        this.tapping = TAPPING.get();
    }

    @Override
    public Socket createSocket() throws java.io.IOException {
        if (tapping.meter().isReady()) {
            return new Socket();
        }
        Place place = tapping.socketOpens();
        try {
            TapSocket socket = new TapSocket(tapping.meter(), tapping::speaksOver, place::close);
            place.taken(socket);
            tapping.speaksOver(socket);
            return socket;
        } catch (java.io.IOException e) {
            place.close();
            throw e;
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws java.io.IOException {
        return createSocket(InetAddress.getByName(host), port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws java.io.IOException {
        return connected(host, port, null, 0);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws java.io.IOException {
        return connected(InetAddress.getByName(host), port, local, localPort);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
            throws java.io.IOException {
        return connected(host, port, local, localPort);
    }

    private Socket connected(InetAddress host, int port, @Nullable InetAddress local, int localPort)
            throws java.io.IOException {
        Socket socket = createSocket();
        try {
            if (local != null) {
                socket.bind(new java.net.InetSocketAddress(local, localPort));
            }
            socket.connect(new java.net.InetSocketAddress(host, port));
            return socket;
        } catch (java.io.IOException e) {
            socket.close();
            throw e;
        }
    }
}
