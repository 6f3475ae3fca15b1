package dev.headgate.server.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.engine.Engine;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Application;
import dev.headgate.lab.Load;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;
import dev.headgate.lab.Workload;
import dev.headgate.lab.WorkloadStatus;
import dev.headgate.lab.script.ScriptedLoad;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.demo.WorkloadPutRequest.WorkloadPhaseRequest;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The loads that run in this process: the demo's, whose settings are stored and survive a restart, and users' own, which
 * end with the process.
 */
@Service
public class Workloads {

    /** The most loads of users. Each has at most {@value Workload#MAX_IN_FLIGHT} arrivals in flight. */
    static final int MOST_OF_USERS = 8;

    private static final Pattern NAMES = Pattern.compile("[a-z][a-z0-9-]{0,62}");
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Engine engine;
    private final WorkloadStore store;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final MemoryAccount memory;
    private final SystemTime time;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("load-", 1).factory());
    private final Map<String, Running> workloads = new LinkedHashMap<>();

    /** @param script the memory of a user's script, until the load is replaced or deleted; null for a load of the demo */
    private record Running(Workload workload, MemoryAccount.@Nullable Share script) {
        boolean ofUser() {
            return script != null;
        }

        void end() {
            workload.stop();
            if (script != null) {
                script.close();
            }
        }

        WorkloadJson json() {
            return WorkloadJson.of(workload.status(), ofUser() ? "user" : "demo");
        }
    }

    /** What the audit says of a user's load: no text of statements, which may hold values. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Sent(
            String domain,
            @Nullable Double ratePerSecond,
            @Nullable Boolean varies,
            @Nullable Integer users,
            @Nullable List<WorkloadPhaseRequest> phases,
            List<String> transactions) {

        static Sent of(WorkloadPutRequest request, Load load) {
            boolean planned = load.pace().planned().isPresent();
            return new Sent(
                    load.domain(),
                    planned ? null : load.pace().ratePerSecond(),
                    planned ? null : load.pace().varies(),
                    request.users(),
                    request.phases(),
                    load.mix().entries().stream().map(Mix.Entry::holder).toList());
        }
    }

    Workloads(
            Engine engine,
            WorkloadStore store,
            Audit audit,
            TransactionTemplate transactions,
            MemoryAccount memory,
            Supervisor supervisor) {
        this.memory = memory;
        this.time = new SystemTime(supervisor);
        this.engine = engine;
        this.store = store;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** A page of loads, by name. */
    synchronized Page<WorkloadJson> page(Paging<String> paging) {
        return paging.pick(workloads.entrySet(), Map.Entry::getKey, Comparator.<String>naturalOrder())
                .map(workload -> workload.getValue().json());
    }

    /** @throws ProblemException not-found */
    synchronized WorkloadJson get(String name) {
        return find(name).json();
    }

    /** @throws ProblemException not-found; invalid-request if the rate is out of bounds */
    synchronized WorkloadJson change(String name, WorkloadPatchRequest patch) {
        Running running = find(name);
        Workload workload = running.workload();
        WorkloadStore.Settings before = settings(workload);
        WorkloadStore.Settings after = new WorkloadStore.Settings(
                Objects.requireNonNullElse(patch.running(), before.running()),
                Objects.requireNonNullElse(patch.ratePerSecond(), before.ratePerSecond()),
                Objects.requireNonNullElse(patch.varies(), before.varies()));
        List<Fault> faults = workload.isPlanned() ? plannedFaults(patch) : rateFaults(after.ratePerSecond());
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        if (!after.equals(before)) {
            transactions.executeWithoutResult(transaction -> {
                if (!running.ofUser()) {
                    store.keep(name, after);
                }
                audit.record("workloads.change", "workloads/" + name, before, after);
            });
            apply(workload, after);
        }
        return running.json();
    }

    private static List<Fault> plannedFaults(WorkloadPatchRequest patch) {
        List<Fault> faults = new ArrayList<>();
        if (patch.ratePerSecond() != null) {
            faults.add(Fault.at("/ratePerSecond", "cannot be set: the load has users or phases", "running"));
        }
        if (patch.varies() != null) {
            faults.add(Fault.at("/varies", "cannot be set: the load has users or phases", "running"));
        }
        return faults;
    }

    private static List<Fault> rateFaults(double rate) {
        return rate >= Workload.MIN_RATE && rate <= Workload.MAX_RATE
                ? List.of()
                : List.of(Fault.at(
                        "/ratePerSecond", "must be a rate of 0.1 to 5000 per second, was " + rate, "0.1..5000"));
    }

    /**
     * Makes a user's load and starts it, in place of the one that has its name.
     *
     * @param replaces whether there may be one
     * @return whether there was none
     * @throws ProblemException stale-revision if there is one and must not be; invalid-request with every fault; conflict if the
     *     name is a demo load's, or there are too many; unavailable if there is no memory for its script
     */
    synchronized boolean put(String name, WorkloadPutRequest request, boolean replaces) {
        if (!NAMES.matcher(name).matches()) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    "The name must be 1 to 63 lower-case letters, digits and hyphens, beginning with a letter.");
        }
        @Nullable Running before = workloads.get(name);
        if (before != null && !replaces) {
            throw ProblemException.of(
                    ProblemType.STALE_REVISION,
                    "There is a load '" + name
                            + "' already, and this request asks for a new one alone (If-None-Match). Choose another name, or delete that"
                            + " load.");
        }
        if (before != null && !before.ofUser()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT, "The name '" + name + "' is that of a load of the demo. Choose another one.");
        }
        if (before == null
                && workloads.values().stream().filter(Running::ofUser).count() >= MOST_OF_USERS) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "There are " + MOST_OF_USERS + " loads of users, the most that are allowed. Delete one of them.");
        }
        List<Fault> faults = new ArrayList<>();
        Pace pace = PaceReader.read(request, faults);
        if (engine.pool(request.domain()).isEmpty()) {
            faults.add(Fault.at("/domain", "there is no domain '" + request.domain() + "'"));
        }
        Mix mix = ScriptReader.read(request, faults);
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        Load load = new ScriptedLoad(
                name, request.domain(), Objects.requireNonNullElse(request.description(), ""), pace, mix);
        Workload workload = workload(load, Objects.requireNonNullElse(request.seed(), (long) name.hashCode()));
        MemoryAccount.Share script = reserve(request.bytesHeld());
        try {
            put(name, request, before, new Running(workload, script), Sent.of(request, load));
        } catch (RuntimeException e) {
            script.close();
            throw e;
        }
        return before == null;
    }

    private MemoryAccount.Share reserve(long bytes) {
        MemoryAccount.Share script = memory.share(Holders.WORK, "loads");
        if (script.tryReserve(bytes)) {
            return script;
        }
        script.close();
        throw ProblemException.retry(
                ProblemType.UNAVAILABLE,
                "There is no memory for a load's script of " + bytes
                        + " bytes now (headgate.limits.memory). Delete a load, or try again.",
                RETRY);
    }

    private void put(String name, WorkloadPutRequest request, @Nullable Running before, Running after, Sent sent) {
        Object former = before == null ? null : settings(before.workload());
        transactions.executeWithoutResult(
                transaction -> audit.record("workloads.put", "workloads/" + name, former, sent));
        if (before != null) {
            before.end();
        }
        workloads.put(name, after);
        if (!Boolean.FALSE.equals(request.running())) {
            after.workload().start();
        }
    }

    /**
     * Stops a user's load and forgets it. Arrivals in flight end by themselves.
     *
     * @throws ProblemException not-found; conflict if it is a load of the demo
     */
    synchronized void remove(String name) {
        Running running = find(name);
        if (!running.ofUser()) {
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "The load '" + name + "' belongs to the demo. It can be stopped, not deleted.");
        }
        transactions.executeWithoutResult(transaction ->
                audit.record("workloads.delete", "workloads/" + name, settings(running.workload()), null));
        running.end();
        workloads.remove(name);
    }

    /** Adds a load with its stored settings, or its application's defaults, and starts it if it should run. */
    synchronized void add(Application application) {
        Workload workload = workload(application, application.name().hashCode());
        apply(workload, store.find(application.name()).orElseGet(() -> atRest(application)));
        workloads.put(application.name(), new Running(workload, null));
    }

    private Workload workload(Load load, long seed) {
        return new Workload(load, () -> engine.pool(load.domain()), time, threads, TimeUnit.NANOSECONDS::sleep, seed);
    }

    /** The default settings of an application's load. */
    static WorkloadStore.Settings atRest(Application application) {
        return new WorkloadStore.Settings(
                true, application.pace().ratePerSecond(), application.pace().varies());
    }

    /** Ends all arrivals and waits for those in flight, up to the timeout. */
    synchronized void stopAll(Duration timeout) {
        workloads.values().forEach(running -> running.workload().stop());
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            for (Running running : workloads.values()) {
                running.workload().stopAndAwait(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @PreDestroy
    void close() {
        stopAll(Duration.ZERO);
        time.close();
        threads.shutdownNow();
    }

    private static void apply(Workload workload, WorkloadStore.Settings settings) {
        if (!workload.isPlanned()) {
            workload.setRatePerSecond(settings.ratePerSecond());
            workload.setVaries(settings.varies());
        }
        if (settings.running()) {
            workload.start();
        } else {
            workload.stop();
        }
    }

    private static WorkloadStore.Settings settings(Workload workload) {
        WorkloadStatus status = workload.status();
        return new WorkloadStore.Settings(status.running(), status.ratePerSecond(), status.varies());
    }

    private Running find(String name) {
        Running running = workloads.get(name);
        if (running == null) {
            throw ProblemException.notFound("workload", name);
        }
        return running;
    }
}
