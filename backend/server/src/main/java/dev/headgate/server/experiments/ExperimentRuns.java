package dev.headgate.server.experiments;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Experiments;
import dev.headgate.lab.experiment.Form;
import dev.headgate.lab.experiment.Machine;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.report.Comparison;
import dev.headgate.server.Version;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.store.DataFolder;
import dev.headgate.server.store.EmbeddedServer;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.io.Closeable;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs experiments, one at a time, because a run uses the whole machine. A run goes on when its caller goes away, and is stored with
 * its report. Methods block on the control store; safe for any thread.
 */
@Service
class ExperimentRuns {

    private static final Logger log = LoggerFactory.getLogger(ExperimentRuns.class);
    private static final String TASK = "experiment";
    private static final String FOLDER = "lab";

    /** For each experiment. */
    private static final int MOST_RUNS = 50;

    /** For the histograms, series and the report of a run: what a share of the default account may have. */
    static final long BYTES = 32L << 20;

    private static final String LEFT_BEHIND = "Headgate ended while it ran.";
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration STORE_PAUSE = Duration.ofSeconds(2);

    private final ExperimentRunStore store;
    private final DataFolder data;
    private final PluginCatalog plugins;
    private final MemoryAccount account;
    private final Supervisor supervisor;
    private final Audit audit;
    private final Access access;
    private final TransactionTemplate transactions;
    private final Clock clock;

    private final AtomicReference<@Nullable Active> active = new AtomicReference<>();
    private volatile boolean stopping;

    ExperimentRuns(
            ExperimentRunStore store,
            DataFolder data,
            PluginCatalog plugins,
            MemoryAccount account,
            Supervisor supervisor,
            Audit audit,
            Access access,
            TransactionTemplate transactions,
            Clock clock) {
        this.store = store;
        this.data = data;
        this.plugins = plugins;
        this.account = account;
        this.supervisor = supervisor;
        this.audit = audit;
        this.access = access;
        this.transactions = transactions;
        this.clock = clock;
    }

    /** The run that is in progress. */
    private static final class Active {
        private final Share memory;
        private volatile long id;
        private volatile double progress;
        private volatile String doing = "A PostgreSQL server starts";
        private volatile @Nullable Thread thread;
        private volatile boolean cancelled;

        /** Why it was cancelled, if nobody asked for it. */
        private volatile @Nullable String problem;

        Active(Share memory) {
            this.memory = memory;
        }

        void at(double share, String now) {
            if (cancelled) {
                throw new CancellationException("the run was cancelled");
            }
            progress = share;
            doing = now;
        }

        /** @param why null if somebody asked for it; then it was cancelled, and has not failed */
        void cancel(@Nullable String why) {
            if (!cancelled) {
                problem = why;
                cancelled = true;
            }
            Thread running = thread;
            if (running != null) {
                running.interrupt();
            }
        }
    }

    /** Before the first request, so that no run of this process can be meant. */
    @PostConstruct
    void endLeftBehind() {
        int left = store.endLeftBehind(LEFT_BEHIND, clock.instant());
        if (left > 0) {
            log.warn("{} runs of experiments had not ended when Headgate did", left);
        }
        try {
            if (EmbeddedServer.deleteLeft(data.path().resolve(FOLDER))) {
                log.info(
                        "The PostgreSQL server of an experiment was left behind: it is stopped, and its files are deleted");
            }
        } catch (IllegalStateException | UncheckedIOException e) {
            log.warn(
                    "The PostgreSQL server of an experiment was left behind and cannot be deleted: {}", e.getMessage());
        }
    }

    /** At the beginning of the end: its server stops while others do, too. */
    @EventListener(ContextClosedEvent.class)
    void cancelAtTheEnd() {
        stopping = true;
        Active running = active.get();
        if (running != null) {
            running.cancel(LEFT_BEHIND);
        }
    }

    @PreDestroy
    void stop() throws InterruptedException {
        cancelAtTheEnd();
        Active running = active.get();
        if (running != null) {
            Thread thread = running.thread;
            if (thread != null) {
                boolean _ = thread.join(PATIENCE);
            }
        }
    }

    static Experiment require(String name) {
        return Experiments.named(name).orElseThrow(() -> ProblemException.notFound("experiment", name));
    }

    /**
     * Starts a run and returns at once.
     *
     * @throws ProblemException not-found; invalid-request with every fault; conflict while another run is in progress; unavailable
     *     without memory
     */
    ExperimentRunJson start(String name, ExperimentRunRequest request) {
        Experiment experiment = require(name);
        Form form = request.form() == null
                ? Form.QUICK
                : Form.valueOf(request.form().toUpperCase(Locale.ROOT));
        Map<String, Double> values = values(experiment, form, Objects.requireNonNullElse(request.values(), Map.of()));
        long seed = request.seed() == null ? RandomGenerator.getDefault().nextLong(1, 1_000_000) : request.seed();
        Active run = new Active(account.share(Holders.WORK, "experiments"));
        if (!active.compareAndSet(null, run)) {
            run.memory.close();
            throw ProblemException.of(
                    ProblemType.CONFLICT,
                    "Another experiment runs, and only one can run at a time, because it uses the whole machine. Cancel it, or wait"
                            + " for its end.");
        }
        try {
            if (!run.memory.tryReserve(BYTES)) {
                throw ProblemException.of(
                        ProblemType.UNAVAILABLE, "There is no memory for an experiment now (headgate.limits.memory).");
            }
            ExperimentRun begun = begin(experiment, form, values, seed);
            run.id = begun.id();
            run.thread = supervisor.start(
                    TASK, Thread.ofPlatform().daemon().name(TASK), () -> measure(run, experiment, begun));
            return ExperimentRunJson.of(begun, 0, run.doing);
        } catch (RuntimeException e) {
            end(run);
            throw e;
        }
    }

    private static Map<String, Double> values(Experiment experiment, Form form, Map<String, @Nullable Double> given) {
        Map<String, Double> values = new TreeMap<>();
        Faults faults = new Faults();
        for (Parameter parameter : experiment.parameters()) {
            Double value = given.get(parameter.name());
            if (value != null && !parameter.allows(value)) {
                faults.add(Fault.at(
                        "/values/" + parameter.name(),
                        "must be %s, was %s".formatted(parameter.allowed(), Parameter.text(value)),
                        parameter.allowed()));
            }
            values.put(parameter.name(), value == null ? form.value(parameter) : value);
        }
        String known = Fault.names(values.keySet());
        given.keySet().stream()
                .filter(name -> !values.containsKey(name))
                .forEach(name -> faults.add(
                        Fault.at(Fault.pointer("/values", name), "is no parameter of " + experiment.name(), known)));
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        return values;
    }

    private ExperimentRun begin(Experiment experiment, Form form, Map<String, Double> values, long seed) {
        ExperimentRun run = new ExperimentRun(
                0,
                experiment.name(),
                form.name().toLowerCase(Locale.ROOT),
                values,
                seed,
                ExperimentRun.RUNNING,
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                null,
                access.actor().name(),
                setUp(experiment),
                null,
                null);
        return Objects.requireNonNull(transactions.execute(transaction -> {
            long id = store.add(run);
            store.prune(experiment.name(), MOST_RUNS);
            audit.record(
                    "experiments.run",
                    "experiments/runs/" + id,
                    null,
                    Map.of("experiment", run.experiment(), "form", run.form(), "values", values, "seed", seed));
            return store.find(id).orElseThrow();
        }));
    }

    private static ExperimentRun.SetUp setUp(Experiment experiment) {
        Runtime machine = Runtime.getRuntime();
        OptionalDouble load = Machine.loadAverage();
        return new ExperimentRun.SetUp(
                Version.withBuild(),
                Runtime.version().toString(),
                "",
                experiment.versions(),
                Machine.processor(),
                machine.availableProcessors(),
                load.isPresent() ? load.getAsDouble() : null,
                machine.maxMemory(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    }

    private void measure(Active run, Experiment experiment, ExperimentRun begun) {
        Supervisor threads = new Supervisor(clock, failure -> supervisor.failed(TASK, failure.cause()));
        try {
            Report report = report(new LabServer(data.path().resolve(FOLDER), plugins), laboratory -> {
                store.measuredOn(begun.id(), begun.setUp().withPostgres(laboratory.version()));
                return new Run(laboratory, begun.values(), begun.seed(), threads, run::at).measure(experiment);
            });
            ended(run, ExperimentRun.DONE, report, null);
        } catch (CancellationException | InterruptedException e) {
            cancelled(run);
        } catch (Exception | Error e) { // an Error, too, has ended it
            if (run.cancelled) {
                cancelled(run);
            } else {
                log.warn("The experiment {} failed", experiment.name(), e);
                ended(run, ExperimentRun.FAILED, null, Objects.requireNonNullElse(e.getMessage(), e.toString()));
            }
        } finally {
            end(run);
        }
    }

    private void cancelled(Active run) {
        ended(run, run.problem == null ? ExperimentRun.CANCELLED : ExperimentRun.FAILED, null, run.problem);
    }

    /** What is done in a laboratory. */
    @FunctionalInterface
    interface Measuring<L> {
        Report in(L laboratory) throws Exception;
    }

    /** Closes the laboratory. If that fails after the report is there, the report is kept and tells it. */
    static <L extends Closeable> Report report(L laboratory, Measuring<L> measuring) throws Exception {
        @Nullable Report report = null;
        try (laboratory) {
            report = measuring.in(laboratory);
            return report;
        } catch (Exception e) {
            if (report == null) {
                throw e;
            }
            log.warn("The PostgreSQL server of an experiment could not be closed", e);
            return report.noting("The run's PostgreSQL server could not be closed: " + e.getMessage());
        }
    }

    /**
     * Stores the end of a run. While the store cannot be reached, the run waits for it. If Headgate ends first, its next start finds
     * the run left behind.
     *
     * @param problem null unless it failed
     */
    private void ended(Active run, String state, @Nullable Report report, @Nullable String problem) {
        Instant end = clock.instant();
        while (true) {
            Thread.interrupted(); // the store is written to without an interrupt
            try {
                store.ended(run.id, state, end, report, problem);
                return;
            } catch (DataIntegrityViolationException e) {
                log.error("The report of the experiment's run {} cannot be stored", run.id, e);
                store.ended(run.id, ExperimentRun.FAILED, end, null, "Its report cannot be stored.");
                return;
            } catch (DataAccessException e) {
                log.warn("The end of the experiment's run {} cannot be stored yet: {}", run.id, e.getMessage());
                run.doing = "The result waits for the control store";
                if (!pause()) {
                    return;
                }
            }
        }
    }

    /** Returns false if Headgate ends. */
    private boolean pause() {
        try {
            Thread.sleep(STORE_PAUSE);
        } catch (InterruptedException e) {
            // the run was cancelled, and has ended anyway
        }
        return !stopping;
    }

    private void end(Active run) {
        run.memory.close();
        active.compareAndSet(run, null);
    }

    /** @throws ProblemException not-found */
    ExperimentRunJson read(String id) {
        return shown(find(id));
    }

    /** @throws ProblemException not-found; conflict unless it is done */
    ExperimentRun done(String id) {
        ExperimentRun run = find(id);
        if (run.report() == null) {
            throw ProblemException.of(
                    ProblemType.CONFLICT, "The run " + id + " has no report, because it is " + run.state() + ".");
        }
        return run;
    }

    Page<ExperimentRunJson> page(@Nullable String experiment, Paging<Long> paging) {
        long before = paging.after() == null ? Long.MAX_VALUE : paging.after();
        return paging.page(store.list(experiment, before, paging.fetch()), ExperimentRun::id)
                .map(this::shown);
    }

    /** @throws ProblemException not-found; conflict if one has no report */
    ComparisonJson compare(String first, String second) {
        ExperimentRun one = done(first);
        ExperimentRun other = done(second);
        return ComparisonJson.of(
                one,
                other,
                Comparison.of(Objects.requireNonNull(one.report()), Objects.requireNonNull(other.report())));
    }

    /**
     * Cancels a run that is in progress. One that has ended stays as it is.
     *
     * @return the run as it was
     * @throws ProblemException not-found
     */
    ExperimentRunJson cancel(String id) {
        ExperimentRun run = find(id);
        boolean _ = cancels(run);
        return shown(run);
    }

    /**
     * Cancels a run that is in progress, or deletes one that has ended.
     *
     * @throws ProblemException not-found
     */
    void remove(String id) {
        ExperimentRun run = find(id);
        if (cancels(run)) {
            return;
        }
        transactions.executeWithoutResult(transaction -> {
            store.remove(run.id());
            audit.record(
                    "experiments.delete",
                    "experiments/runs/" + id,
                    Map.of("experiment", run.experiment(), "startedAt", run.startedAt()),
                    null);
        });
    }

    /** Cancels a run that is in progress. Returns false if it is not. */
    private boolean cancels(ExperimentRun run) {
        Active running = active.get();
        if (running == null || running.id != run.id()) {
            return false;
        }
        running.cancel(null);
        transactions.executeWithoutResult(
                transaction -> audit.record("experiments.cancel", "experiments/runs/" + run.id(), null, null));
        return true;
    }

    private ExperimentRun find(String id) {
        return key(id).flatMap(store::find).orElseThrow(() -> ProblemException.notFound("run", id));
    }

    private static Optional<Long> key(String id) {
        try {
            long key = Long.parseLong(id);
            return Long.toString(key).equals(id) ? Optional.of(key) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private ExperimentRunJson shown(ExperimentRun run) {
        Active running = active.get();
        return running != null && running.id == run.id() && run.state().equals(ExperimentRun.RUNNING)
                ? ExperimentRunJson.of(run, running.progress, running.doing)
                : ExperimentRunJson.of(run);
    }
}
