package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.pool.HikariPool;
import dev.headgate.engine.Await;
import dev.headgate.engine.meter.PoolMeter;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When HikariCP's pool is made, and that it is made once. No server listens: making a pool asks none. */
@Timeout(60)
class HikariOnDemandTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MANY = 16;

    /** Schedules nothing before it may; a pool that is being made waits for it meanwhile. */
    private static final class Gated extends ScheduledThreadPoolExecutor {

        private final CountDownLatch mayGoOn = new CountDownLatch(1);
        private final AtomicInteger pools = new AtomicInteger();

        Gated() {
            super(1);
            setRemoveOnCancelPolicy(true);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
            pools.incrementAndGet();
            try {
                mayGoOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return super.scheduleWithFixedDelay(command, initial, delay, unit);
        }
    }

    private final SystemTime time = new SystemTime();
    private final Gated housekeeping = new Gated();
    private final Target nowhere = Target.of("main", "127.0.0.1", 1, "x", "x", "x", 4);
    private final Opener opener = new Opener(
            "bank",
            nowhere,
            time,
            new SocketLedger(4, 0),
            new PoolMeter(),
            new Outage(time),
            OrphansTest.none(),
            () -> {});
    private final Reservoir reservoir = new Reservoir("bank", opener, 4, Supervisor.silent(), housekeeping);

    @AfterEach
    void close() {
        housekeeping.mayGoOn.countDown();
        reservoir.close();
        opener.close(0);
        housekeeping.shutdownNow();
        time.close();
    }

    @Test
    void aPoolThatNobodyUsesIsNotMade() {
        reservoir.resize(0, 0);
        reservoir.bound(2);
        reservoir.tidy();
        reservoir.closeLost();
        reservoir.flush();

        assertThat(reservoir.held()).isZero();
        assertThat(housekeeping.pools).hasValue(0);
    }

    @Test
    void aMinimumMakesIt() {
        housekeeping.mayGoOn.countDown();

        reservoir.resize(1, 1);

        assertThat(housekeeping.pools).hasValue(1);
    }

    @Test
    void aBorrowerMakesIt() {
        housekeeping.mayGoOn.countDown();

        assertThat(reservoir.borrowNow()).isNull();

        assertThat(housekeeping.pools).hasValue(1);
    }

    @Test
    void manyWhoNeedItAtOnceGetTheSame() throws Exception {
        List<FutureTask<HikariPool>> users = Stream.generate(() -> new FutureTask<>(reservoir.hikari::get))
                .limit(MANY)
                .toList();
        List<Thread> threads =
                users.stream().map(Thread.ofPlatform().daemon()::start).toList();
        Await.until(
                "one makes it and the others wait for it",
                SOON,
                () -> threads.stream()
                                .map(Thread::getState)
                                .filter(Thread.State.BLOCKED::equals)
                                .count()
                        == MANY - 1);

        housekeeping.mayGoOn.countDown();

        Set<HikariPool> pools = new HashSet<>();
        for (FutureTask<HikariPool> user : users) {
            pools.add(user.get(SOON.toSeconds(), TimeUnit.SECONDS));
        }
        assertThat(pools).hasSize(1);
        assertThat(housekeeping.pools).hasValue(1);
    }

    /** It is made with room for its largest size, which no borrower may ever see. */
    @Test
    void aSizeThatChangesWhileItIsMadeIsInForce() throws Exception {
        FutureTask<HikariPool> user = new FutureTask<>(reservoir.hikari::get);
        Thread _ = Thread.ofPlatform().daemon().start(user);
        Await.until("it is being made", SOON, () -> housekeeping.pools.get() == 1);
        Thread resizing = Thread.ofPlatform().daemon().start(() -> reservoir.bound(3));
        Await.until("the new size waits", SOON, () -> resizing.getState() == Thread.State.BLOCKED);

        housekeeping.mayGoOn.countDown();
        resizing.join();

        HikariPool pool = user.get(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(pool.config.getMaximumPoolSize()).isEqualTo(3);
    }

    @Test
    void aPoolThatIsClosedWhileItIsMadeIsShutDown() throws Exception {
        FutureTask<HikariPool> user = new FutureTask<>(reservoir.hikari::get);
        Thread _ = Thread.ofPlatform().daemon().start(user);
        Await.until("it is being made", SOON, () -> housekeeping.pools.get() == 1);
        Thread closing = Thread.ofPlatform().daemon().start(reservoir::close);
        Await.until("closing waits for it", SOON, () -> closing.getState() == Thread.State.BLOCKED);

        housekeeping.mayGoOn.countDown();

        user.get(SOON.toSeconds(), TimeUnit.SECONDS);
        Await.until(
                "its housekeeping has ended",
                SOON,
                () -> housekeeping.getQueue().isEmpty());
    }

    @Test
    void noneIsMadeAfterTheEnd() {
        reservoir.close();

        assertThatThrownBy(() -> reservoir.borrow(SOON.toNanos()))
                .isInstanceOf(SQLTransientConnectionException.class)
                .hasMessage("bank is closed");
        assertThat(reservoir.borrowNow()).isNull();
        reservoir.resize(2, 2);

        assertThat(housekeeping.pools).hasValue(0);
        assertThat(reservoir.held()).isZero();
    }
}
