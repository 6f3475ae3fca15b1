package dev.headgate.server.feed;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Writes the engine's own failures to the log: the engine logs nothing. */
@Component
class FaultLog implements Listener {

    private static final Logger LOG = LoggerFactory.getLogger("dev.headgate.engine");

    @Override
    public void fault(String database, Throwable fault) {
        LOG.error("A step of the governor of {} failed; the next one runs all the same", database, fault);
    }
}
