package dev.headgate.lab.policies;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Place;
import dev.headgate.engine.Pool;
import dev.headgate.lab.Application;
import dev.headgate.lab.Client;
import dev.headgate.lab.Transaction;
import dev.headgate.lab.load.Action;
import dev.headgate.lab.load.Action.Answer;
import dev.headgate.lab.load.Sessions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Iterator;

/**
 * The pages of an application server, which users of its application ask for in sessions: rendering, which costs processor time, and
 * then one transaction on a connection. Whoever gets no connection has rendered in vain, unless the door asked the pool first. While a
 * connection is held, nothing but the database takes time, if it is not told to hold it longer.
 */
final class Pages implements Sessions {

    private static final Client.Spending AT_ONCE = nanos -> {};

    private final Application application;
    private final Pool pool;
    private final boolean door;
    private final int rounds;
    private final Duration hold;

    /** @param door whether the pool is asked before the page is rendered */
    Pages(Application application, Pool pool, boolean door, double renderMillis) {
        this(application, pool, door, renderMillis, Duration.ZERO);
    }

    /** @param hold how long a connection is held after its transaction, while other services are called */
    Pages(Application application, Pool pool, boolean door, double renderMillis, Duration hold) {
        this.application = application;
        this.hold = hold;
        this.pool = pool;
        this.door = door;
        this.rounds = renderMillis == 0 ? 0 : (int) Math.round(renderMillis * Speed.ROUNDS_PER_MILLI);
    }

    @Override
    public Iterator<Action> begin(Client client) {
        Iterator<Transaction> session = application.session(client);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return session.hasNext();
            }

            @Override
            public Action next() {
                Transaction transaction = session.next();
                return user -> serve(transaction, user);
            }
        };
    }

    private Answer serve(Transaction transaction, Client client) throws Exception {
        LeaseRequest request = LeaseRequest.by(application.name());
        try {
            if (door) {
                try (Place place = pool.admit(request)) {
                    render(rounds);
                    use(place.acquire(), transaction, client);
                }
            } else {
                render(rounds);
                use(pool.acquire(request), transaction, client);
            }
            return Answer.DONE;
        } catch (LeaseException e) {
            return switch (e.why()) {
                case REJECTED, FAILED, QUEUE_FULL -> Answer.REFUSED;
                default -> throw e;
            };
        }
    }

    private void use(Lease acquired, Transaction transaction, Client client) throws Exception {
        try (acquired) {
            transaction.commit(acquired.connection(), new Client(client.random(), AT_ONCE));
            Thread.sleep(hold);
        }
    }

    /** A page of 4 KiB, hashed so many times. The work is fixed, not its time: on a busy machine it takes longer. */
    private static byte[] render(int rounds) {
        byte[] page = new byte[4096];
        MessageDigest digest = sha256();
        for (int i = 0; i < rounds; i++) {
            digest.update(page);
            System.arraycopy(digest.digest(), 0, page, 0, 32);
        }
        return page;
    }

    /** Measured once, when it is first needed, so that every way of a run renders the same work. */
    private static final class Speed {
        private static final double ROUNDS_PER_MILLI = roundsPerMilli();
    }

    private static double roundsPerMilli() {
        int rounds = 2_000;
        double best = 0;
        for (int i = 0; i < 5; i++) {
            long begin = System.nanoTime();
            if (render(rounds).length > 0) {
                best = Math.max(best, rounds / ((System.nanoTime() - begin) / 1e6));
            }
        }
        return best;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
