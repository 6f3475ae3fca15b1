package dev.headgate.server.log;

import ch.qos.logback.classic.Logger;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.limits.Holders;
import jakarta.annotation.PreDestroy;
import java.util.Objects;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** The last lines of the service's log, from the moment on that it is there: the first lines of a start are not among them. */
@Service
class LogLines {

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final LogRing ring;

    LogLines(MemoryAccount memory) {
        ring = new LogRing(memory.share(Holders.LOG, "log"));
        ring.setContext(root.getLoggerContext());
        ring.setName("headgate-log-" + Integer.toHexString(System.identityHashCode(this)));
        ring.start();
        root.addAppender(ring);
    }

    @PreDestroy
    void stop() {
        root.detachAppender(ring);
        ring.stop();
    }

    /** A page, newest first. */
    Page<LogLine> page(LogFilter filter, Paging<Long> paging) {
        return paging.page(
                ring.list(filter, Objects.requireNonNullElse(paging.after(), Long.MAX_VALUE), paging.fetch()),
                line -> Long.valueOf(line.id()));
    }
}
