package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** {@link Clients} in virtual time. */
final class ClientsDemand implements Demand {

    private final VirtualTime time;
    private final OnServer onServer;
    private final Clients clients;
    private final SplittableRandom random;

    ClientsDemand(VirtualTime time, SimulatedServer server, Clients clients, SplittableRandom random) {
        this.time = time;
        this.onServer = new OnServer(time, server);
        this.clients = clients;
        this.random = random;
    }

    @Override
    public void begin(Consumer<Task> ask) {
        Arrivals.begin(time, clients.load(), random, work -> {
            clients.comes(time.sinceStartNanos());
            attempt(ask, work, clients.attempts());
        });
    }

    private void attempt(Consumer<Task> ask, Work work, int left) {
        Attempt attempt = new Attempt(ask, work, left);
        time.after(clients.patienceNanos(), attempt::giveUp);
        ask.accept(attempt);
    }

    /** One try of one client. It ends once: answered, refused, or given up while it goes on for nobody. */
    private final class Attempt implements Task {

        private final Consumer<Task> ask;
        private final Work work;
        private final int left;
        private boolean over;

        Attempt(Consumer<Task> ask, Work work, int left) {
            this.ask = ask;
            this.work = work;
            this.left = left;
        }

        @Override
        public void begin(Lease lease) {
            onServer.begin(lease, work, () -> {
                if (!over) {
                    over = true;
                    clients.isAnswered(time.sinceStartNanos());
                }
            });
        }

        @Override
        public void refused() {
            giveUp();
        }

        void giveUp() {
            if (!over) {
                over = true;
                if (left > 1) {
                    long pause = (long) (clients.pauseNanos() * random.nextDouble(0.5, 1.5));
                    time.after(pause, () -> attempt(ask, work, left - 1));
                }
            }
        }
    }
}
