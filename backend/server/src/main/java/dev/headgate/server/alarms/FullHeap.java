package dev.headgate.server.alarms;

import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Supervisor;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The heap is nearly full right after a garbage collection. The JVM exits on an {@code OutOfMemoryError}, so this is the last
 * chance to tell what fills it: the classes with the most bytes are logged, at most once in ten minutes.
 */
@Component
class FullHeap implements Condition {

    /** What the condition needs to know of the JVM. */
    interface Heap {

        /** Bytes in use after the last garbage collection. */
        long usedAfterCollection();

        /** The largest size in bytes. */
        long max();

        /** The classes with the most bytes, as text for the log. Blocks, and stops all threads for some tenths of a second. */
        String largestClasses() throws Exception;
    }

    private static final Logger log = LoggerFactory.getLogger(FullHeap.class);

    private static final double NEARLY_FULL = 0.9;
    private static final Duration LIST_EVERY = Duration.ofMinutes(10);
    private static final long MIB = 1 << 20;

    private final Heap heap;
    private final Supervisor supervisor;
    private Instant nextList = Instant.MIN;

    @Autowired
    FullHeap(Supervisor supervisor) {
        this(new JvmHeap(), supervisor);
    }

    FullHeap(Heap heap, Supervisor supervisor) {
        this.heap = heap;
        this.supervisor = supervisor;
    }

    @Override
    public String code() {
        return "heap-full";
    }

    @Override
    public Finding look(Instant now) {
        return Finding.onAll(words(now));
    }

    Optional<Words> words(Instant now) {
        long used = heap.usedAfterCollection();
        if (used < NEARLY_FULL * heap.max()) {
            return Optional.empty();
        }
        String detail = "it uses %d of %d MiB of its heap, ends when none is left, and -Xmx gives it more"
                .formatted(used / MIB, heap.max() / MIB);
        Words words = Words.been("memory short", "Headgate", "short of memory", detail);
        if (!now.isBefore(nextList)) {
            nextList = now.plus(LIST_EVERY);
            supervisor.start(
                    "headgate-heap",
                    Thread.ofVirtual().name("headgate-heap"),
                    () -> log.warn("{}: {}. What fills it:\n{}", words.sentence(), detail, heap.largestClasses()));
        }
        return Optional.of(words);
    }
}
