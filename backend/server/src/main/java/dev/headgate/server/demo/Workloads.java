package dev.headgate.server.demo;

import dev.headgate.engine.Engine;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Application;
import dev.headgate.lab.Workload;
import dev.headgate.lab.WorkloadStatus;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The loads that run in this process. Their settings are stored and survive a restart.
 */
@Service
public class Workloads {

    private final Engine engine;
    private final WorkloadStore store;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final SystemTime time;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("load-", 1).factory());
    private final Map<String, Workload> workloads = new LinkedHashMap<>();

    Workloads(
            Engine engine, WorkloadStore store, Audit audit, TransactionTemplate transactions, Supervisor supervisor) {
        this.time = new SystemTime(supervisor);
        this.engine = engine;
        this.store = store;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** A page of loads, by name. */
    synchronized Page<WorkloadJson> page(Paging<String> paging) {
        return paging.pick(workloads.entrySet(), Map.Entry::getKey, Comparator.<String>naturalOrder())
                .map(workload -> WorkloadJson.of(workload.getValue().status()));
    }

    /** @throws ProblemException not-found */
    synchronized WorkloadJson get(String name) {
        return WorkloadJson.of(find(name).status());
    }

    /** @throws ProblemException not-found; invalid-request if the rate is out of bounds */
    synchronized WorkloadJson change(String name, WorkloadPatchRequest patch) {
        Workload workload = find(name);
        WorkloadStore.Settings before = settings(workload);
        WorkloadStore.Settings after = new WorkloadStore.Settings(
                Objects.requireNonNullElse(patch.running(), before.running()),
                Objects.requireNonNullElse(patch.ratePerSecond(), before.ratePerSecond()),
                Objects.requireNonNullElse(patch.varies(), before.varies()));
        if (after.ratePerSecond() < Workload.MIN_RATE || after.ratePerSecond() > Workload.MAX_RATE) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    List.of(Fault.at(
                            "/ratePerSecond",
                            "must be a rate of 0.1 to 5000 per second, was " + after.ratePerSecond(),
                            "0.1..5000")));
        }
        if (!after.equals(before)) {
            transactions.executeWithoutResult(transaction -> {
                store.keep(name, after);
                audit.record("workloads.change", "workloads/" + name, before, after);
                apply(workload, after);
            });
        }
        return WorkloadJson.of(workload.status());
    }

    /** Adds a load with its stored settings, or its application's defaults, and starts it if it should run. */
    synchronized void add(Application application) {
        Workload workload = new Workload(
                application,
                () -> engine.pool(application.name()),
                time,
                threads,
                TimeUnit.NANOSECONDS::sleep,
                application.name().hashCode());
        apply(workload, store.find(application.name()).orElseGet(() -> atRest(application)));
        workloads.put(application.name(), workload);
    }

    /** The default settings of an application's load. */
    static WorkloadStore.Settings atRest(Application application) {
        return new WorkloadStore.Settings(
                true, application.pace().ratePerSecond(), application.pace().varies());
    }

    /** Ends all arrivals and waits for those in flight, up to the timeout. */
    synchronized void stopAll(Duration timeout) {
        workloads.values().forEach(Workload::stop);
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            for (Workload workload : workloads.values()) {
                workload.stopAndAwait(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
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
        workload.setRatePerSecond(settings.ratePerSecond());
        workload.setVaries(settings.varies());
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

    private Workload find(String name) {
        Workload workload = workloads.get(name);
        if (workload == null) {
            throw ProblemException.notFound("workload", name);
        }
        return workload;
    }
}
