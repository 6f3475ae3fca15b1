package dev.headgate.wire;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.StatementCatalog;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** A loop and the objects that its clients share. Begins their relays. */
public final class RelayLoop implements Turning {

    /** The most bytes of the texts that a loop knows. */
    private static final long CATALOG_BYTES = 4L * 1024 * 1024;

    private final Loop loop;
    private final Buffers buffers = new Buffers();
    private final StatementCatalog catalog = new StatementCatalog(CATALOG_BYTES);
    private final DomainClients clients;
    private final AtomicLong schemas;
    private final ReportedParameters reports;
    private final MemoryAccount memory;
    private final BlockingWork work;

    /** @param schemas the number of schema changes that were seen */
    RelayLoop(Loop loop, AtomicLong schemas, ReportedParameters reports, MemoryAccount memory, BlockingWork work) {
        this.loop = loop;
        this.clients = new DomainClients(memory);
        this.schemas = schemas;
        this.reports = reports;
        this.memory = memory;
        this.work = work;
    }

    public Loop loop() {
        return loop;
    }

    /** What servers report. Any thread. */
    ReportedParameters reports() {
        return reports;
    }

    /** The buffers of the loop's writers. Belong to the loop's thread. */
    public Buffers buffers() {
        return buffers;
    }

    /** Memory of a client of a domain, beside that of its relay. The caller closes it. */
    public MemoryAccount.Share memory(String domain) {
        return memory.share(RelayLoops.HOLDER, domain);
    }

    /**
     * Begins a relay between a client's end and the connections of a pool. On the loop's thread.
     *
     * @param settings the client's settings, by name, as commands ({@link dev.headgate.protocol.SettingsText#of})
     * @param onEnded called once, when the session holds nothing any more
     */
    public Relay relay(
            ClientEnd client,
            Peer peer,
            Session.Client who,
            Rules rules,
            Map<String, String> settings,
            Pool pool,
            Runnable onEnded) {
        String domain = pool.domain();
        return new Relay(
                client,
                loop,
                buffers,
                peer,
                who,
                rules,
                settings,
                catalog,
                clients.enter(domain),
                schemas,
                reports,
                pool,
                memory(domain),
                work,
                () -> {
                    clients.leave(domain);
                    onEnded.run();
                });
    }

    @Override
    public String name() {
        return loop.name();
    }

    @Override
    public void nudge() {
        loop.execute(() -> {});
    }

    @Override
    public long turns() {
        return loop.turns();
    }

    @Override
    public Thread thread() {
        return loop.thread();
    }
}
