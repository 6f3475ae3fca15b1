package dev.headgate.server.files;

import dev.headgate.engine.Shortened;
import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.Counts;
import dev.headgate.server.limits.Progress;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Compares policy files with the current state, and applies them. Applies run one at a time. Each blocks while it connects to
 * databases: some seconds for a database that does not answer.
 */
@Service
public class Files {

    private static final Logger log = LoggerFactory.getLogger(Files.class);
    private static final int MOST_AUDITED = 20;
    private static final int LONGEST_AUDITED = 300;

    private final FilesReader reader;
    private final DiffId diffId;
    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final Counts counts;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final RequestMemory memory;
    private final ReentrantLock applying = new ReentrantLock();

    Files(
            FilesReader reader,
            DiffId diffId,
            Databases databases,
            Domains domains,
            ManagedSets sets,
            Counts counts,
            Audit audit,
            TransactionTemplate transactions,
            RequestMemory memory) {
        this.memory = memory;
        this.reader = reader;
        this.diffId = diffId;
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.counts = counts;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** An estimate of the memory that what is in force takes while files are compared with it, or while it is exported. */
    long bytesInForce() {
        return sets.bytesOfAll();
    }

    /**
     * The changes that applying the files would make. Changes nothing. Passwords that they may not name are audited.
     *
     * @throws ProblemException invalid-files with every fault
     */
    FilesAnswer diff(List<SourceFile> files, Terms terms, Progress progress) {
        return compare(files, terms, progress, 1).answer(false);
    }

    /**
     * Applies files. Everything is checked first, and nothing is changed if there is a fault. Until its first change it ends where its
     * thread is interrupted.
     *
     * @param reviewed the {@link FilesAnswer#id} of the diff that may be applied; null for any
     * @throws ProblemException invalid-files with every fault; stale-diff, with the current diff, if it is another one; another
     *     problem if a change fails nevertheless, because something else has changed meanwhile: its detail lists the changes made
     *     until then
     */
    FilesAnswer apply(List<SourceFile> files, Terms terms, @Nullable String reviewed, Progress progress) {
        try {
            applying.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("The work was interrupted.");
        }
        try {
            Compared compared = compare(files, terms, progress, 0.5);
            FilesAnswer diff = compared.answer(false);
            if (reviewed != null && !reviewed.equals(diff.id())) {
                throw ProblemException.staleDiff(
                        "The diff is " + diff.id() + " now, not " + reviewed
                                + ": the files or the service have changed. Nothing was applied.",
                        diff);
            }
            List<Step> steps = compared.steps();
            progress.changes();
            for (int made = 0; made < steps.size(); made++) {
                make(steps, made);
                progress.at((1 + (made + 1.0) / steps.size()) / 2);
            }
            log.info("{} changes from policy files {}", steps.size(), terms.name());
            return compared.answer(true);
        } finally {
            applying.unlock();
        }
    }

    /**
     * Releases sets from their owners.
     *
     * @param names domains ("bank") and databases ("database/main")
     * @return the names of those that belonged to files, each with its owner
     * @throws ProblemException not-found if one does not exist; then nothing is changed
     */
    List<Released> release(List<String> names) {
        Set<Scope> scopes = new LinkedHashSet<>();
        for (String name : names) {
            scopes.add(
                    name.startsWith("database/")
                            ? Scope.database(name.substring("database/".length()))
                            : Scope.domain(name));
        }
        return sets.release(scopes).stream()
                .map(before -> new Released(
                        before.scope().kind().label(),
                        before.scope().name(),
                        Objects.requireNonNull(before.owner()).name()))
                .toList();
    }

    /** @param managedBy the former owner of its policy set */
    @Schema(name = "Released")
    record Released(
            @Schema(allowableValues = {"database", "domain"})
            String kind,

            String name,
            String managedBy) {}

    /** The comparison of faultless files with the current state. */
    private record Compared(String source, String id, List<Step> steps, Comparison comparison) {
        FilesAnswer answer(boolean applied) {
            return new FilesAnswer(
                    source,
                    id,
                    applied,
                    steps.stream().map(Step::change).toList(),
                    comparison.leftover(),
                    comparison.warnings());
        }
    }

    /** @param part the comparison's share of the work */
    private Compared compare(List<SourceFile> files, Terms terms, Progress progress, double part) {
        require("name", terms.name(), Terms.NAMES, Terms.ALLOWED);
        if (terms.source() != null) {
            require("source", terms.source(), Source.NAMES, Source.ALLOWED);
        }
        Faults faults = new Faults();
        Wanted wanted = reader.read(files, terms, bytes -> progress.hold(bytes, "the values of the files"), faults);
        if (!wanted.forbidden().isEmpty()) {
            transactions.executeWithoutResult(transaction -> audit.record(
                    "files.secret-refused",
                    "files/" + wanted.sourceOr(terms.name()),
                    null,
                    new RefusedSecrets(wanted.forbidden().stream()
                            .limit(MOST_AUDITED)
                            .map(Files::shortened)
                            .toList())));
        }
        Comparison comparison =
                new Comparison(databases, domains, sets, wanted, terms, faults, share -> progress.at(share * part));
        comparison
                .made()
                .forEach((kind, more) ->
                        counts.faultOf(kind, more).ifPresent(fault -> faults.add(fault.foundAt(terms.name()))));
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_FILES, faults);
        }
        List<Step> steps = comparison.steps();
        Compared compared = new Compared(wanted.sourceOr(terms.name()), diffId.of(steps), steps, comparison);
        memory.hold(
                compared.answer(false).bytes(), "its answer"); // until it is written, and before anything is changed
        return compared;
    }

    private static void require(String parameter, String value, String pattern, String allowed) {
        if (!value.matches(pattern)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "'" + parameter + "' cannot be '" + value + "'; allowed are " + allowed);
        }
    }

    /** The audit's record of passwords that files may not name. */
    private record RefusedSecrets(List<String> named) {}

    private static String shortened(String text) {
        return Shortened.withEllipsis(LONGEST_AUDITED, text);
    }

    private static void make(List<Step> steps, int index) {
        Step step = steps.get(index);
        StringBuilder done = new StringBuilder();
        try {
            for (Step.Action action : step.actions()) {
                action.change().run();
                done.append(' ').append(action.done());
            }
        } catch (ProblemException e) {
            throw failed(steps, index, e.type(), sentence(e) + done);
        } catch (DataAccessException | TransactionException e) {
            log.warn("Policy files were not applied wholly: the control store failed", e);
            throw failed(steps, index, ProblemType.UNAVAILABLE, "The control store is not available." + done);
        } catch (RuntimeException e) {
            log.error("Policy files were not applied wholly: Headgate failed", e);
            throw failed(steps, index, ProblemType.INTERNAL, "Headgate failed; its log says more." + done);
        }
    }

    /** What a step's failure leaves: the changes before it stay made. */
    private static ProblemException failed(List<Step> steps, int index, ProblemType type, String why) {
        String made = index == 0
                ? "nothing was changed"
                : index + " of " + steps.size() + " changes were made: "
                        + steps.subList(0, index).stream()
                                .map(step -> step.change().subject())
                                .collect(java.util.stream.Collectors.joining(", "));
        return ProblemException.of(
                type, steps.get(index).change().subject() + ": " + why + " Before it, " + made + ". Apply again.");
    }

    private static String sentence(ProblemException e) {
        return e.faults().isEmpty()
                ? String.valueOf(e.getMessage())
                : e.faults().stream()
                        .map(fault -> fault.pointer() + " " + fault.message() + ".")
                        .collect(java.util.stream.Collectors.joining(" "));
    }
}
