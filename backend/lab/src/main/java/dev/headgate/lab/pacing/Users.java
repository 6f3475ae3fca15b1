package dev.headgate.lab.pacing;

import dev.headgate.engine.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A closed loop: users who each think, send a request, wait for its end, and think again. Thinking takes an exponentially distributed
 * time, and a request is due when it ends. As many users take part as the course says; it is looked at every 100 ms.
 *
 * <p>Whoever was not served comes back after 100 ms at the earliest. A pool that refuses at once would otherwise keep the machine busy
 * with refusals.
 */
public final class Users implements Generator {

    private static final long LOOK_NANOS = 100_000_000;
    private static final long AFTER_REFUSAL_NANOS = 100_000_000;

    /** Is told that a user's request is due. Called on the timer's thread, for several users one after another; must not block. */
    @FunctionalInterface
    public interface Request {
        /** @param ended to be called once, from any thread, when the request has ended */
        void due(long dueNanos, Ended ended);
    }

    /** A user waits for it. */
    @FunctionalInterface
    public interface Ended {
        void ended(boolean served);
    }

    private static final class User {
        private final int number;
        private final SplittableRandom random;
        private Time.@Nullable Timer thinking;
        private long dueNanos;
        private boolean waiting;

        User(int number, SplittableRandom random) {
            this.number = number;
            this.random = random;
        }
    }

    private final Time time;
    private final Course course;
    private final long thinkNanos;
    private final SplittableRandom seeds;
    private final Request request;
    private final Stopwatch watch;
    private final List<User> users = new ArrayList<>();

    private Time.@Nullable Timer look;
    private int wanted;

    /** @param think the mean; zero for none */
    public Users(Time time, Course course, Duration think, SplittableRandom seeds, Request request) {
        this.time = time;
        this.course = course;
        this.thinkNanos = think.toNanos();
        this.seeds = seeds;
        this.request = request;
        this.watch = new Stopwatch(time);
    }

    @Override
    public synchronized void start() {
        if (watch.start()) {
            look();
        }
    }

    @Override
    public synchronized void stop() {
        if (watch.stop()) {
            wanted = 0;
            leave();
            if (look != null) {
                look.cancel();
            }
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return watch.isRunning();
    }

    @Override
    public synchronized long startedNanos() {
        return watch.startedNanos();
    }

    @Override
    public synchronized long elapsedNanos() {
        return watch.elapsedNanos();
    }

    private synchronized void look() {
        if (!watch.isRunning()) {
            return;
        }
        long elapsed = watch.elapsedNanos();
        if (elapsed >= course.endNanos()) {
            stop();
            return;
        }
        wanted = (int) Math.round(course.at(elapsed));
        while (users.size() < wanted) {
            users.add(new User(users.size(), seeds.split()));
        }
        for (User user : users.subList(0, wanted)) {
            if (user.thinking == null && !user.waiting) {
                think(user, 0);
            }
        }
        leave();
        look = time.after(Math.min(LOOK_NANOS, course.endNanos() - elapsed), this::look);
    }

    /** Those who are too many send no further request. */
    private void leave() {
        for (User user : users.subList(Math.min(wanted, users.size()), users.size())) {
            if (user.thinking != null) {
                user.thinking.cancel();
                user.thinking = null;
            }
        }
    }

    private void think(User user, long leastNanos) {
        long nanos = thinkNanos == 0 ? 0 : (long) (thinkNanos * user.random.nextExponential());
        long delay = Math.max(leastNanos, nanos);
        long due = time.nanoTime() + delay;
        user.dueNanos = due;
        user.thinking = time.after(delay, () -> ask(user, due));
    }

    private void ask(User user, long dueNanos) {
        synchronized (this) {
            if (user.thinking == null || user.dueNanos != dueNanos) {
                return; // the user left while this timer began
            }
            user.thinking = null;
            user.waiting = true;
        }
        try {
            request.due(dueNanos, served -> ended(user, served));
        } catch (RuntimeException e) {
            ended(user, false);
            throw e;
        }
    }

    private synchronized void ended(User user, boolean served) {
        user.waiting = false;
        if (watch.isRunning() && user.number < wanted) {
            think(user, served ? 0 : AFTER_REFUSAL_NANOS);
        }
    }
}
