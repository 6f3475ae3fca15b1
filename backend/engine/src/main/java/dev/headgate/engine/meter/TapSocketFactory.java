package dev.headgate.engine.meter;

import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the sockets of one physical connection. pgjdbc's property {@code socketFactory} names this class.
 *
 * <p>pgjdbc creates the factory by class name, so the meter cannot be handed in. Instead a {@link ScopedValue} holds it
 * during the connect, so no static state remains. The connect runs on one thread, because the driver's own login timeout,
 * which would connect on another thread, is not used. If the driver tries another {@code sslmode}, it asks the same factory
 * for a second socket before the connection is ready. A socket after that can only be for a cancel request, which is neither
 * measured nor counted (the server accepts it without a connection slot).
 */
public final class TapSocketFactory extends SocketFactory {

    /** The connection that a connect is for. */
    public interface Tapping {
        ConnectionMeter meter();

        /** Called before a socket is opened. Waits for its place in the budget. */
        Place socketOpens() throws java.io.IOException;

        /** Sets the socket that the connection uses from now on. */
        void speaksOver(TappedSocket socket);
    }

    /** One socket's place in the budget. */
    public interface Place {
        /** Sets the socket that has the place. */
        void taken(Socket socket);

        /** Called when the socket is closed or could not be opened. May be called more than once. */
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
