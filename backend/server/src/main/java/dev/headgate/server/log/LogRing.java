package dev.headgate.server.log;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import dev.headgate.engine.Shortened;
import dev.headgate.engine.memory.MemoryAccount;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * Keeps the last lines of the log: {@value #MOST} at most, and fewer if the memory account has no room. A line belongs
 * to a domain if its key {@code domain} says so, or one of its arguments is a path of the domain ("domains/bank"). Any
 * thread writes and reads, under a lock that is held for microseconds.
 */
final class LogRing extends UnsynchronizedAppenderBase<ILoggingEvent> {

    /** The key of a line's domain. */
    static final String DOMAIN = "domain";

    /** A path of a domain, as the audit and requests write it. */
    private static final Pattern PATH = Pattern.compile("(?:/api/v1/)?domains/([^/?]+)");

    private static final int MOST = 5_000;
    private static final int LONGEST = 4_000;

    private final MemoryAccount.Share memory;
    private final ArrayDeque<LogLine> lines = new ArrayDeque<>();
    private long sequence;

    LogRing(MemoryAccount.Share memory) {
        this.memory = memory;
    }

    @Override
    protected void append(ILoggingEvent event) {
        String logger = event.getLoggerName();
        IThrowableProxy thrown = event.getThrowableProxy();
        add(new LogLine(
                "",
                event.getInstant(),
                event.getLevel().toString().toLowerCase(Locale.ROOT),
                logger.substring(logger.lastIndexOf('.') + 1),
                event.getThreadName(),
                domain(event),
                shortened(Objects.requireNonNullElse(event.getFormattedMessage(), "")),
                thrown == null ? null : shortened(ThrowableProxyUtil.asString(thrown))));
    }

    private static @Nullable String domain(ILoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs();
        if (pairs != null) {
            for (KeyValuePair pair : pairs) {
                if (pair.key.equals(DOMAIN)) {
                    return String.valueOf(pair.value);
                }
            }
        }
        Object[] arguments = event.getArgumentArray();
        for (Object argument : arguments == null ? new Object[0] : arguments) {
            if (argument instanceof String text) {
                Matcher path = PATH.matcher(text);
                if (path.lookingAt()) {
                    return path.group(1);
                }
            }
        }
        return null;
    }

    private static String shortened(String text) {
        return Shortened.withEllipsis(LONGEST, text);
    }

    private synchronized void add(LogLine line) {
        long bytes = line.bytes();
        while (!lines.isEmpty() && (lines.size() >= MOST || memory.reserved() + bytes > memory.most())) {
            dropOldest();
        }
        while (!memory.tryReserve(bytes)) {
            if (lines.isEmpty()) {
                return;
            }
            dropOldest();
        }
        lines.addLast(new LogLine(
                Long.toString(++sequence),
                line.time(),
                line.level(),
                line.logger(),
                line.thread(),
                line.domain(),
                line.message(),
                line.trace()));
    }

    private void dropOldest() {
        memory.release(lines.removeFirst().bytes());
    }

    /**
     * The lines that match, newest first.
     *
     * @param before only those with a smaller id
     */
    synchronized List<LogLine> list(LogFilter filter, long before, int most) {
        List<LogLine> found = new ArrayList<>();
        Iterator<LogLine> newest = lines.descendingIterator();
        while (newest.hasNext() && found.size() < most) {
            LogLine line = newest.next();
            if (Long.parseLong(line.id()) < before && filter.matches(line)) {
                found.add(line);
            }
        }
        return found;
    }

    @Override
    public void stop() {
        super.stop();
        memory.close();
    }
}
