package dev.headgate.server.wire;

import dev.headgate.wire.LoopListener;
import dev.headgate.wire.Turning;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs stalled loops of the wire port, with a dump of all threads. */
final class LoopLog implements LoopListener {

    private static final Logger log = LoggerFactory.getLogger(LoopLog.class);

    @Override
    public void stalled(Turning loop, Instant since, String threads) {
        log.warn(
                "{} of the wire port has not turned since {}: its clients get no answer. All threads:\n{}",
                loop.name(),
                since,
                threads);
    }

    @Override
    public void turnsAgain(Turning loop, Duration stood) {
        log.warn("{} of the wire port turns again, after {} ms", loop.name(), stood.toMillis());
    }
}
