package dev.headgate.server.alarms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.Service;
import dev.headgate.server.feed.Samples;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class FullHeapTest {

    private static final long MIB = 1 << 20;

    private final AtomicInteger asked = new AtomicInteger();
    private long used;

    private final FullHeap.Heap heap = new FullHeap.Heap() {
        @Override
        public long usedAfterCollection() {
            return used;
        }

        @Override
        public long max() {
            return 512 * MIB;
        }

        @Override
        public String largestClasses() {
            asked.incrementAndGet();
            return "[B of somebody";
        }
    };

    private final FullHeap condition = new FullHeap(heap, Supervisor.silent());

    @Test
    void holdsWhileLittleIsLeftAndLogsWhatFillsTheHeap(CapturedOutput output) {
        used = 400 * MIB;
        assertThat(condition.words(Samples.NOON)).isEmpty();

        used = 470 * MIB;
        assertThat(condition.words(Samples.NOON))
                .contains(Words.been(
                        "memory short",
                        "Headgate",
                        "short of memory",
                        "it uses 470 of 512 MiB of its heap, ends when none is left, and -Xmx gives it more"));
        await().atMost(Service.PATIENCE).until(() -> output.toString().contains("[B of somebody"));

        used = 300 * MIB;
        assertThat(condition.words(Samples.NOON)).isEmpty();
    }

    /** To list the classes stops all threads: a heap about the bound must not make the service do it again and again. */
    @Test
    void listsTheClassesOnceInTenMinutes() {
        for (int second = 0; second < 600; second++) {
            used = (second % 2 == 0 ? 470 : 400) * MIB;
            assertThat(condition.words(Samples.NOON.plusSeconds(second)).isPresent())
                    .isEqualTo(second % 2 == 0);
        }
        used = 470 * MIB;
        assertThat(condition.words(Samples.NOON.plusSeconds(601))).isPresent();
        await().atMost(Service.PATIENCE).until(() -> asked.get() >= 2);
        assertThat(asked).hasValue(2);
    }

    @Test
    void readsTheHeapOfThisJvm() throws Exception {
        JvmHeap own = new JvmHeap();
        assertThat(own.max()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(own.usedAfterCollection()).isBetween(0L, own.max());
        assertThat(own.largestClasses()).contains("#bytes").contains("java.lang.String");
    }
}
