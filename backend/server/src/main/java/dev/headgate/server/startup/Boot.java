package dev.headgate.server.startup;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.Domains;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Restores the store's databases, domains and policy sets into the engine before the first request, and closes the engine after
 * the last. Components that need the pools start in a later phase than {@link #PHASE}, so they stop before the pools. The web
 * server starts last and stops first.
 */
final class Boot implements SmartLifecycle {

    static final int PHASE = 0;

    private final Databases databases;
    private final Domains domains;
    private final Engine engine;
    private final Listeners listeners;
    private final ObjectProvider<EngineListener> all;
    private volatile boolean running;

    Boot(Databases databases, Domains domains, Engine engine, Listeners listeners, ObjectProvider<EngineListener> all) {
        this.databases = databases;
        this.domains = domains;
        this.engine = engine;
        this.listeners = listeners;
        this.all = all;
    }

    @Override
    public void start() {
        listeners.tell(all.orderedStream().toArray(EngineListener[]::new));
        databases.restore();
        domains.restore();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        engine.close();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
