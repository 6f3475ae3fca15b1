package dev.headgate.engine.meter;

import java.io.IOException;
import java.net.Socket;
import java.util.Properties;
import javax.net.ssl.SSLSocket;
import org.postgresql.ssl.LibPQFactory;
import org.postgresql.util.PSQLException;

/**
 * pgjdbc's own TLS with unchanged certificates and verification, and the tap above the TLS layer. pgjdbc's property
 * {@code sslfactory} names this class.
 */
public final class TapSslFactory extends LibPQFactory {

    /** Called by pgjdbc. */
    public TapSslFactory(Properties info) throws PSQLException {
        super(info);
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
        Socket secure = super.createSocket(socket, host, port, autoClose);
        if (socket instanceof TapSocket tapped && secure instanceof SSLSocket ssl) {
            TapSslSocket above = new TapSslSocket(ssl, tapped);
            tapped.encrypted(above);
            return above;
        }
        return secure;
    }
}
