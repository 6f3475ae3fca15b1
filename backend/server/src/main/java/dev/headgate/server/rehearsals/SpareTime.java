package dev.headgate.server.rehearsals;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Linux's scheduling class for work that may only have what nobody else wants of the processor ({@code SCHED_IDLE}, sched(7)). Whoever
 * wakes interrupts such a thread at once. Other threads that compute are interrupted at the next tick of the kernel's clock, 4 ms later
 * on many systems, and a request to a database wakes four threads.
 */
final class SpareTime {

    private static final int SCHED_IDLE = 5;

    private static final Optional<MethodHandle> SET_SCHEDULER = setScheduler();

    private SpareTime() {}

    @SuppressWarnings("restricted") // native access is granted where the service is started
    private static Optional<MethodHandle> setScheduler() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.empty();
        }
        try {
            Linker linker = Linker.nativeLinker();
            FunctionDescriptor shape = FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS);
            return linker.defaultLookup().find("sched_setscheduler").map(at -> linker.downcallHandle(at, shape));
        } catch (UnsupportedOperationException | IllegalCallerException e) {
            return Optional.empty(); // no linker for this system, or native access is denied
        }
    }

    /**
     * Puts the calling platform thread into that class until its end, because it could not leave without privileges. Where there is no
     * such class, or the system forbids it, the thread stays as it is.
     */
    static void only() {
        SET_SCHEDULER.ifPresent(set -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment noPriority = arena.allocate(ValueLayout.JAVA_INT);
                int _ = (int) set.invokeExact(0, SCHED_IDLE, noPriority);
            } catch (Throwable e) {
                throw new IllegalStateException(e); // the call throws nothing
            }
        });
    }
}
