package dev.headgate.wire;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * Makes the engine of each client that uses TLS. Any of the loops' threads calls both methods. They must not block.
 */
public interface TlsEngines {

    /** The protocol's registered name (ALPN, RFC 7301). */
    String PROTOCOL = "postgresql";

    /**
     * A new engine in server mode. It selects {@link #PROTOCOL} if the client offers it, and serves clients that offer nothing. Its
     * session must tell its local certificates, or logins cannot be bound to them.
     */
    SSLEngine create();

    /**
     * Frees an engine's memory outside the heap. Called once for each engine, when its client's connection is closed. The
     * engine is not used afterwards.
     */
    default void release(SSLEngine engine) {}

    /** Engines of the JDK, which use no memory outside the heap. */
    static TlsEngines of(SSLContext context) {
        return () -> {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {PROTOCOL});
            engine.setSSLParameters(parameters);
            return engine;
        };
    }
}
