package dev.headgate.server.files;

import dev.headgate.server.api.Scope;
import dev.headgate.server.files.FileChange.FileDifference;
import dev.headgate.server.policies.ManagedSets.InForce;
import dev.headgate.server.policies.ManagedSets.Owner;
import dev.headgate.server.problems.Fault;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Which sets belong to files. It goes by the source that files declare, never by a file's name alone: two teams may have files of the same
 * name, and one must not delete what the other applied.
 *
 * @param wanted what the files say
 * @param prune whether what a declared source has left out is deleted
 */
record Ownership(Wanted wanted, Terms terms, boolean prune) {

    boolean isInFiles(InForce set) {
        String name = set.scope().name();
        return wanted.part(set.scope()).isPresent()
                || (set.scope().kind() == Scope.Kind.DOMAIN
                        ? wanted.domains().containsKey(name)
                        : wanted.databases().containsKey(name));
    }

    /** Whether a declared source has put this in force and does not contain it any more. */
    boolean isLeft(InForce set) {
        return set.owner() != null
                && set.owner().declared()
                && wanted.sources().contains(Source.of(set.owner()))
                && !isInFiles(set);
    }

    boolean isPruned(InForce set) {
        return prune && isLeft(set);
    }

    /** What to tell of a set that may be another team's, because no source was declared when it was applied. */
    Optional<String> doubt(InForce set) {
        if (set.owner() == null || set.owner().declared() || isInFiles(set)) {
            return Optional.empty();
        }
        String name = Source.of(set.owner()).name();
        return wanted.sources().stream().anyMatch(source -> source.name().equals(name))
                ? Optional.of(set.scope().kind().label() + " " + set.scope().name() + " was applied from files named "
                        + name + " that declared no source, and is not in these files; --prune leaves it alone")
                : Optional.empty();
    }

    /**
     * Whether the files change the set. Then it must belong to them, to nobody, or to a file of their name.
     *
     * @param differences found so far; a change of the owner is added
     * @param faults told of a set that belongs to others
     */
    boolean claims(Source source, InForce before, List<FileDifference> differences, Consumer<Fault> faults) {
        Owner owner = source.owner();
        Owner former = before.owner();
        if (differences.isEmpty() && !source.declared()) {
            return false;
        }
        if (owner.equals(former)) {
            return !differences.isEmpty();
        }
        if (former != null && !mayFollow(source, Source.of(former))) {
            faults.accept(Fault.at(
                    "",
                    before.scope().name() + " is managed by "
                            + Source.of(former).told() + ", not by " + source.told(),
                    "the same source, here or as --source, or released first: ./headgate apply --release "
                            + before.scope().label()));
            return false;
        }
        differences.add(
                former != null && former.name().equals(owner.name())
                        ? new FileDifference("/source", null, source.name())
                        : new FileDifference("/managedBy", former == null ? null : former.name(), owner.name()));
        return true;
    }

    /** Whether files with a declared source may take a set that was applied under their file name before. */
    private boolean mayFollow(Source source, Source former) {
        return source.declared()
                && !former.declared()
                && (former.name().equals(source.name()) || former.name().equals(terms.name()));
    }
}
