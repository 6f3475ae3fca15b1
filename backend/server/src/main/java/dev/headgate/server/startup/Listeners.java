package dev.headgate.server.startup;

import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Window;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's listener: forwards to every listener of the service. The listeners are set after all of them are created,
 * because some need the engine themselves. An exception from one does not affect the others.
 */
final class Listeners implements EngineListener {

    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private volatile EngineListener[] listeners = {};

    void tell(EngineListener... all) {
        listeners = all.clone();
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        for (EngineListener listener : listeners) {
            try {
                listener.window(pool, end, window);
            } catch (RuntimeException e) {
                log.atError()
                        .addKeyValue("domain", pool.domain())
                        .setCause(e)
                        .log("{} failed at a window of {}", listener.getClass().getName(), pool.domain());
            }
        }
    }

    @Override
    public void decided(Decision decision) {
        for (EngineListener listener : listeners) {
            try {
                listener.decided(decision);
            } catch (RuntimeException e) {
                log.atError()
                        .addKeyValue("domain", decision.domain())
                        .setCause(e)
                        .log(
                                "{} failed at a decision on {}",
                                listener.getClass().getName(),
                                decision.domain());
            }
        }
    }

    @Override
    public void fault(String database, Throwable fault) {
        for (EngineListener listener : listeners) {
            try {
                listener.fault(database, fault);
            } catch (RuntimeException e) {
                log.error("{} failed at a fault of {}", listener.getClass().getName(), database, e);
            }
        }
    }
}
