package dev.headgate.server.startup;

import dev.headgate.engine.supervision.Failure;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs failures of threads and timers: the first of a series, with its stack trace. The alarm counts the others. */
final class FailureLog implements Consumer<Failure> {

    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    @Override
    public void accept(Failure failure) {
        if (failure.isNew()) {
            log.error("{} failed and continues", failure.task(), failure.cause());
        } else {
            log.debug("{} failed again", failure.task(), failure.cause());
        }
    }
}
