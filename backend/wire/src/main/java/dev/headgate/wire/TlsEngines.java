package dev.headgate.wire;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Makes the engine of each client that asks for TLS. Both methods are called by any of the loops' threads and must not
 * block.
 */
public interface TlsEngines {

    /** A new engine in server mode. */
    SSLEngine create();

    /**
     * Frees what an engine holds outside of the heap. Called once for each engine, when its client's connection is closed;
     * the engine is not used afterwards.
     */
    default void release(SSLEngine engine) {}

    /** Engines of the JDK, which hold nothing outside of the heap. */
    static TlsEngines of(SSLContext context) {
        return () -> {
            SSLEngine engine = context.createSSLEngine();
            engine.setUseClientMode(false);
            return engine;
        };
    }
}
