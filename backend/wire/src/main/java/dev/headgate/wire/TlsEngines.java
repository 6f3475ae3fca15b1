package dev.headgate.wire;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * Makes the engine of each client that asks for TLS. Any of the loops' threads calls both methods. They must not block.
 */
public interface TlsEngines {

    /** A new engine in server mode. */
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
            return engine;
        };
    }
}
