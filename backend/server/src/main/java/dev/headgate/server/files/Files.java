package dev.headgate.server.files;

import dev.headgate.server.api.Scope;
import dev.headgate.server.audit.Audit;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.policies.ManagedSets;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Compares policy files with what is in force, and puts them in force. Applies take turns; each blocks while databases are
 * connected to, up to some seconds for one that does not answer.
 */
@Service
public class Files {

    private static final Logger log = LoggerFactory.getLogger(Files.class);
    private static final int MOST_AUDITED = 20;
    private static final int LONGEST_AUDITED = 300;
    private static final String SOURCES = "[\\p{L}\\p{N}._/@:+-]{1,200}";

    private final FilesReader reader;
    private final Databases databases;
    private final Domains domains;
    private final ManagedSets sets;
    private final Audit audit;
    private final TransactionTemplate transactions;
    private final ReentrantLock applying = new ReentrantLock();

    Files(
            FilesReader reader,
            Databases databases,
            Domains domains,
            ManagedSets sets,
            Audit audit,
            TransactionTemplate transactions) {
        this.reader = reader;
        this.databases = databases;
        this.domains = domains;
        this.sets = sets;
        this.audit = audit;
        this.transactions = transactions;
    }

    /** The name under which policy sets belong to a source. */
    static String owner(String source) {
        return "files: " + source;
    }

    /**
     * What applying the files would change, changing nothing.
     *
     * @param source the name under which they own what they put in force
     * @param prune whether what belongs to the source and is not in the files is to be deleted
     * @param origin decides which passwords the files may name; what they may not is audited
     * @throws ProblemException invalid-files with every fault
     */
    FilesAnswer diff(List<SourceFile> files, String source, boolean prune, Origin origin) {
        return answer(compare(files, source, prune, origin), source, false);
    }

    /**
     * Makes the service as the files say. Everything is checked first, and nothing is changed if there is a fault.
     *
     * @throws ProblemException invalid-files with every fault; another one if a change fails all the same, because something
     *     else has changed meanwhile: its detail says what was made until then
     */
    FilesAnswer apply(List<SourceFile> files, String source, boolean prune, Origin origin) {
        applying.lock();
        try {
            Comparison comparison = compare(files, source, prune, origin);
            List<Step> steps = comparison.steps();
            for (int made = 0; made < steps.size(); made++) {
                make(steps, made);
            }
            log.info("{} changes from policy files {}", steps.size(), source);
            return answer(comparison, source, true);
        } finally {
            applying.unlock();
        }
    }

    /**
     * Makes sets everyone's again.
     *
     * @param names domains ("bank") and databases ("database/main")
     * @return the names of those that belonged to files, each with its owner
     * @throws ProblemException not-found if there is one that is not there; then nothing is changed
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
                        before.scope().kind().label(), before.scope().name(), String.valueOf(before.owner())))
                .toList();
    }

    /** @param managedBy who its policy set belonged to */
    @Schema(name = "Released")
    record Released(
            @Schema(allowableValues = {"database", "domain"})
            String kind,

            String name,
            String managedBy) {}

    private Comparison compare(List<SourceFile> files, String source, boolean prune, Origin origin) {
        if (!source.matches(SOURCES)) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST,
                    "'source' cannot be '" + source + "'; allowed are 1 to 200 letters, digits and . _ / @ : + -");
        }
        List<Fault> faults = new ArrayList<>();
        Wanted wanted = reader.read(files, origin, faults);
        if (!wanted.forbidden().isEmpty()) {
            transactions.executeWithoutResult(transaction -> audit.record(
                    "files.secret-refused",
                    "files/" + source,
                    null,
                    new RefusedSecrets(wanted.forbidden().stream()
                            .limit(MOST_AUDITED)
                            .map(Files::shortened)
                            .toList())));
        }
        Comparison comparison = new Comparison(databases, domains, sets, wanted, source, prune && faults.isEmpty());
        faults.addAll(comparison.faults());
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_FILES, List.copyOf(faults));
        }
        return comparison;
    }

    /** What the audit keeps of passwords that files named and may not. */
    private record RefusedSecrets(List<String> named) {}

    private static String shortened(String text) {
        return text.length() <= LONGEST_AUDITED ? text : text.substring(0, LONGEST_AUDITED) + "…";
    }

    private static FilesAnswer answer(Comparison comparison, String source, boolean applied) {
        return new FilesAnswer(
                source,
                applied,
                comparison.steps().stream().map(Step::change).toList(),
                comparison.leftover(),
                comparison.warnings());
    }

    private static void make(List<Step> steps, int index) {
        FileChange change = steps.get(index).change();
        try {
            steps.get(index).action().run();
        } catch (ProblemException e) {
            String made = index == 0
                    ? "nothing was changed"
                    : index + " of " + steps.size() + " changes were made: "
                            + steps.subList(0, index).stream()
                                    .map(step -> step.change().subject())
                                    .collect(java.util.stream.Collectors.joining(", "));
            throw ProblemException.of(
                    e.type(), change.subject() + ": " + sentence(e) + " Before it, " + made + ". Apply again.");
        }
    }

    private static String sentence(ProblemException e) {
        return e.faults().isEmpty()
                ? String.valueOf(e.getMessage())
                : e.faults().stream()
                        .map(fault -> fault.pointer() + " " + fault.message() + ".")
                        .collect(java.util.stream.Collectors.joining(" "));
    }
}
