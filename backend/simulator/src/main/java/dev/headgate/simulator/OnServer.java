package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;

/** Does a lease's {@link Work} on the simulated server, request by request, and gives the lease back. */
final class OnServer {

    private final VirtualTime time;
    private final SimulatedServer server;

    OnServer(VirtualTime time, SimulatedServer server) {
        this.time = time;
        this.server = server;
    }

    void begin(Demand.Lease lease, Work work) {
        begin(lease, work, () -> {});
    }

    /** @param then called after the lease is back */
    void begin(Demand.Lease lease, Work work, Runnable then) {
        request(lease, work, work.requests(), then);
    }

    private void request(Demand.Lease lease, Work work, int left, Runnable then) {
        boolean fails = server.fails(time.sinceStartNanos());
        long nanos = server.begin(time.sinceStartNanos(), work.heaviness());
        lease.request(nanos, fails, () -> {
            server.end();
            if (left > 1 && !fails) {
                time.after(work.think().toNanos(), () -> request(lease, work, left - 1, then));
            } else {
                lease.giveBack();
                then.run();
            }
        });
    }
}
