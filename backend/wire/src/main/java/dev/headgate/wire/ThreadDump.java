package dev.headgate.wire;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The state of every thread as text: platform threads with the locks that they hold and wait for, and virtual threads. */
public final class ThreadDump {

    /** Enough for some hundred threads. */
    private static final int MOST_CHARS = 100_000;

    private static final int DEEPEST = 60;

    private ThreadDump() {}

    /** Takes some milliseconds, with a short stop of the JVM. Returns at most {@value #MOST_CHARS} characters. */
    public static String ofPlatformThreads() {
        StringBuilder text = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true, DEEPEST)) {
            append(text, thread);
        }
        return bounded(text.toString());
    }

    /**
     * The JVM's own dump. <b>The process may crash in it</b>: JDK 25 reads the stack of a virtual thread that moves to or from its carrier
     * meanwhile (JDK-8364343). So only where it is about to end.
     *
     * @return at most {@value #MOST_CHARS} characters
     */
    public static String ofVirtualThreads() {
        return bounded(virtual());
    }

    private static void append(StringBuilder text, ThreadInfo thread) {
        text.append('"').append(thread.getThreadName()).append("\" ").append(thread.getThreadState());
        @Nullable String lock = thread.getLockName();
        if (lock != null) {
            text.append(" on ").append(lock);
            @Nullable String owner = thread.getLockOwnerName();
            if (owner != null) {
                text.append(" of \"").append(owner).append('"');
            }
        }
        text.append('\n');
        StackTraceElement[] stack = thread.getStackTrace();
        for (int depth = 0; depth < stack.length; depth++) {
            text.append("    at ").append(stack[depth]).append('\n');
            for (MonitorInfo monitor : thread.getLockedMonitors()) {
                if (monitor.getLockedStackDepth() == depth) {
                    text.append("    - holds ").append(monitor).append('\n');
                }
            }
        }
        for (LockInfo held : thread.getLockedSynchronizers()) {
            text.append("    holds ").append(held).append('\n');
        }
        text.append('\n');
    }

    private static String virtual() {
        try {
            Path folder = Files.createTempDirectory("headgate-threads");
            Path file = folder.resolve("threads.txt");
            try {
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
                StringBuilder virtual = new StringBuilder();
                for (String thread : Files.readString(file).split("\n\n", -1)) {
                    if (thread.lines().findFirst().orElse("").contains(" virtual")) {
                        virtual.append(thread).append("\n\n");
                    }
                }
                return virtual.toString();
            } finally {
                Files.deleteIfExists(file);
                Files.deleteIfExists(folder);
            }
        } catch (IOException | RuntimeException e) {
            return "not known: " + e;
        }
    }

    private static String bounded(String text) {
        String rest = "... and so on\n";
        return text.length() <= MOST_CHARS ? text : text.substring(0, MOST_CHARS - rest.length()) + rest;
    }
}
