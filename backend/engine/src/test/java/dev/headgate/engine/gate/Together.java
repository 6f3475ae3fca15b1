package dev.headgate.engine.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Threads that wait for their tasks turning, not asleep, so that what they do happens at once. For use by one thread. */
final class Together implements AutoCloseable {

    /** A task begins up to so many turns of a loop after it was asked for. */
    private static final int APART = 300;

    private final SplittableRandom random = new SplittableRandom(1);
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReferenceArray<Runnable> tasks;
    private int begun;
    private volatile boolean over;

    Together(int size) {
        tasks = new AtomicReferenceArray<>(size);
        for (int i = 0; i < size; i++) {
            int mine = i;
            threads.add(Thread.ofPlatform().daemon().start(() -> work(mine)));
        }
    }

    /** Begins a task on the next thread, which must have nothing to do, and returns; which of both is sooner is left to chance. */
    void begin(Runnable task) {
        int turns = random.nextInt(APART);
        tasks.set(begun++ % tasks.length(), () -> {
            turn(turns);
            task.run();
        });
        turn(random.nextInt(APART / 3));
    }

    private static void turn(int turns) {
        for (int i = 0; i < turns; i++) {
            Thread.onSpinWait();
        }
    }

    /** Waits until all tasks have ended. */
    void await() {
        for (int i = 0; i < tasks.length(); i++) {
            while (tasks.get(i) != null) {
                Thread.yield();
            }
        }
    }

    private void work(int mine) {
        while (!over) {
            Runnable task = tasks.get(mine);
            if (task == null) {
                Thread.yield();
            } else {
                task.run();
                tasks.set(mine, null);
            }
        }
    }

    /** Ends the threads; interrupts a task that sleeps. */
    @Override
    public void close() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
    }
}
