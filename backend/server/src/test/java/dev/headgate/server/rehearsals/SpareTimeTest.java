package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class SpareTimeTest {

    private static final int SCHED_IDLE = 5;

    /** Behind the name, which may hold anything: proc(5). */
    private static final int POLICY_FIELD = 41 - 3;

    @Test
    void onlyTheThreadThatAsksForItGetsWhatNobodyElseWants() throws Exception {
        assertThat(onThread(() -> {
                    SpareTime.only();
                    return policy();
                }))
                .isEqualTo(SCHED_IDLE);
        assertThat(onThread(SpareTimeTest::policy))
                .as("another thread's is that of the process")
                .isEqualTo(policy());
    }

    private static int onThread(Callable<Integer> work) throws Exception {
        FutureTask<Integer> task = new FutureTask<>(work);
        Thread.ofPlatform().start(task).join();
        return task.get();
    }

    private static int policy() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        return Integer.parseInt(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[POLICY_FIELD]);
    }
}
