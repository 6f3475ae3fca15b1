package dev.headgate.sql;

import dev.headgate.engine.Database;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Pool;
import dev.headgate.engine.RelayLease;
import dev.headgate.engine.RelayListener;
import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.time.Time;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A pool of {@link FakeLine}s with a queue in the order of arrival, in virtual time. It checks what every pool relies on: a connection
 * comes back once, and clean.
 */
final class FakePool {

    private static final String DOMAIN = "fake";
    private static final Target TARGET = Target.of("main", "fake", 5432, "fake", "fake", "fake", 10);

    private final Time time;
    private final int size;

    /** How long a request may wait. */
    private final Duration patience;

    private final List<FakeLine> lines = new ArrayList<>();
    private final ArrayDeque<FakeLine> free = new ArrayDeque<>();
    private final ArrayDeque<Waiter> waiting = new ArrayDeque<>();
    private final List<Checkout> out = new ArrayList<>();
    private int opened;
    private int discarded;

    /** Whether connections are given by {@link #grant} alone. */
    boolean byHand;

    /** Of new connections. */
    boolean slow;

    FakePool(Time time, int size, Duration patience) {
        this.time = time;
        this.size = size;
        this.patience = patience;
        for (int i = 0; i < size; i++) {
            open();
        }
    }

    private void open() {
        try {
            FakeLine line = new FakeLine("fake-" + ++opened);
            line.slow = slow;
            lines.add(line);
            free.add(line);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- what is seen of it

    /** The open connections, oldest first. */
    List<FakeLine> lines() {
        return lines;
    }

    FakeLine line(int number) {
        return lines.get(number);
    }

    int inUse() {
        return out.size();
    }

    int waiting() {
        return waiting.size();
    }

    /** The connections that were closed because they were not fit. */
    int discarded() {
        return discarded;
    }

    /** Whether somebody waits and a connection is free. */
    boolean canGrant() {
        return !waiting.isEmpty() && !free.isEmpty();
    }

    boolean isLeased(FakeLine line) {
        return out.stream().anyMatch(each -> each.line.equals(line));
    }

    // ---- leases

    private final class Waiter {
        private final RelayListener listener;
        private final Executor executor;
        private final long sinceNanos = time.nanoTime();
        private Time.@Nullable Timer deadline;
        private boolean over;

        Waiter(RelayListener listener, Executor executor) {
            this.listener = listener;
            this.executor = executor;
        }

        boolean end() {
            boolean first = !over;
            over = true;
            if (deadline != null) {
                deadline.cancel();
            }
            return first;
        }

        private void refuse(LeaseException.Cause cause) {
            if (waiting.remove(this)) {
                executor.execute(() -> {
                    if (end()) {
                        listener.refused(why(cause, time.nanoTime() - sinceNanos));
                    }
                });
            }
        }
    }

    /** It, as far as a relay uses one. */
    Pool asPool() {
        return fake(Pool.class, (method, arguments) -> switch (method) {
            case "domain" -> DOMAIN;
            case "database" -> database();
            case "relay" -> relay((Executor) arguments[1], (RelayListener) arguments[2]);
            default -> throw new UnsupportedOperationException(method);
        });
    }

    private static Database database() {
        return fake(Database.class, (method, arguments) -> switch (method) {
            case "target" -> TARGET;
            default -> throw new UnsupportedOperationException(method);
        });
    }

    private Runnable relay(Executor executor, RelayListener listener) {
        Waiter waiter = new Waiter(listener, executor);
        if (!byHand && waiting.isEmpty() && !free.isEmpty()) {
            waiter.over = true;
            listener.leased(checkOut(0));
        } else {
            waiting.add(waiter);
            waiter.deadline = time.after(patience.toNanos(), () -> waiter.refuse(LeaseException.Cause.TIMED_OUT));
        }
        return () -> {
            if (waiter.end()) {
                waiting.remove(waiter);
            }
        };
    }

    /** The first waiter gets a connection. */
    void grant() {
        Waiter first = waiting.remove();
        Checkout lease = checkOut(time.nanoTime() - first.sinceNanos);
        first.executor.execute(() -> {
            if (first.end()) {
                first.listener.leased(lease);
            } else {
                lease.close();
            }
        });
    }

    /** The first waiter gets none. */
    void refuse() {
        waiting.element().refuse(LeaseException.Cause.FAILED);
    }

    private void grantSoon() {
        while (!byHand && canGrant()) {
            grant();
        }
    }

    private Checkout checkOut(long waitedNanos) {
        Checkout lease = new Checkout(free.remove(), waitedNanos);
        out.add(lease);
        return lease;
    }

    private LeaseException why(LeaseException.Cause cause, long waitedNanos) {
        return new LeaseException(
                cause,
                new LeaseException.Situation(
                        DOMAIN,
                        1,
                        size,
                        out.size(),
                        waiting.size(),
                        waitedNanos,
                        size,
                        "fixed",
                        "for the test",
                        Double.POSITIVE_INFINITY),
                null);
    }

    private final class Checkout implements RelayLease {
        private final FakeLine line;
        private final long waitedNanos;
        private boolean ended;

        Checkout(FakeLine line, long waitedNanos) {
            this.line = line;
            this.waitedNanos = waitedNanos;
        }

        @Override
        public void close() {
            if (end()) {
                if (!line.isBroken() && !line.isMute() && !line.isClean()) {
                    throw new AssertionError("a connection comes back that is not clean");
                }
                if (line.isBroken()) { // the next one to check it out would notice
                    replace();
                } else {
                    free.add(line);
                }
                grantSoon();
            }
        }

        @Override
        public void discard() {
            if (end()) {
                replace();
                grantSoon();
            }
        }

        private void replace() {
            discarded++;
            lines.remove(line);
            try {
                line.channel().close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            open();
        }

        private boolean end() {
            if (ended) {
                throw new AssertionError("a lease ends twice");
            }
            ended = true;
            return out.remove(this);
        }

        @Override
        public ServerChannel channel() {
            return line;
        }

        @Override
        public Connection connection() {
            PGConnection driver = fake(PGConnection.class, (name, arguments) -> switch (name) {
                case "getParameterStatuses" -> Map.of("server_version", "fake");
                case "cancelQuery" -> cancel();
                default -> throw new UnsupportedOperationException(name);
            });
            return fake(Connection.class, (name, arguments) -> {
                if (name.equals("unwrap")) {
                    return driver;
                }
                throw new UnsupportedOperationException(name);
            });
        }

        private @Nullable Object cancel() {
            if (!lines.contains(line)) {
                return null; // the server has ended that session, and does nothing
            }
            if (ended) {
                throw new AssertionError("a cancel meets somebody else");
            }
            if (!line.isMute()) {
                line.server.cancel();
            }
            return null;
        }

        @Override
        public @Nullable Leftovers left() {
            return line.left;
        }

        @Override
        public void leave(@Nullable Leftovers leftovers) {
            line.left = leftovers;
        }

        @Override
        public String connectionId() {
            return line.id;
        }

        @Override
        public long waitedNanos() {
            return waitedNanos;
        }

        @Override
        public boolean hasEnded() {
            return ended;
        }

        @Override
        public String holder() {
            return "test";
        }

        @Override
        public void executes(byte[] text, int from, int to) {}

        @Override
        public Socket socket() {
            throw new UnsupportedOperationException();
        }
    }

    private interface Answering {
        @Nullable
        Object call(String method, Object[] arguments);
    }

    /** An object of an interface of which only a few methods are called. */
    private static <T> T fake(Class<T> type, Answering answering) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answering.call(method.getName(), arguments)));
    }
}
