package dev.headgate.server.policies;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.server.api.Scope;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Starts the revisions of new domains and databases. As in {@link PolicySwaps}, a set is checked, and its policies are created, before the
 * sets on its database are locked; under the lock it is looked whether all that it was checked against is still so.
 */
@Component
final class FirstSets {

    private final PolicyStore store;
    private final DraftReader drafts;
    private final PolicySwaps swaps;
    private final TransactionTemplate transactions;

    FirstSets(PolicyStore store, DraftReader drafts, PolicySwaps swaps, TransactionTemplate transactions) {
        this.store = store;
        this.drafts = drafts;
        this.swaps = swaps;
        this.transactions = transactions;
    }

    /** As {@link Policies#found}. */
    void found(
            Scope scope,
            String database,
            IntSupplier budget,
            @Nullable PolicySetRequest set,
            Runnable keep,
            Consumer<PolicySet> open) {
        for (int n = 0; n < PolicySwaps.CHECKS; n++) {
            try (Checked checked = new Checked(scope, database, budget, set)) {
                boolean isFounded = Boolean.TRUE.equals(transactions.execute(transaction -> {
                    keep.run();
                    store.lock(database);
                    if (!checked.holds()) {
                        transaction.setRollbackOnly();
                        return false;
                    }
                    found(checked, open);
                    return true;
                }));
                if (isFounded) {
                    return;
                }
            }
        }
        transactions.executeWithoutResult(transaction -> {
            keep.run();
            store.lock(database);
            try (Checked checked = new Checked(scope, database, budget, set)) {
                found(checked, open);
            }
        });
    }

    private void found(Checked checked, Consumer<PolicySet> open) {
        store.found(checked.scope, checked.around.database());
        long revision = checked.isGiven ? 1 : 0;
        if (checked.isGiven) {
            store.add(checked.scope, swaps.next(checked.draft, revision, null), checked.draft.guaranteed());
        }
        open.accept(checked.made.take(revision));
    }

    /** A set that was checked, and its policies, until a governor gets them. */
    private final class Checked implements AutoCloseable {
        private final Scope scope;
        private final IntSupplier budget;
        private final boolean isGiven;
        private final Surroundings around;
        private final Draft draft;
        private final MadeSet made;

        Checked(Scope scope, String database, IntSupplier budget, @Nullable PolicySetRequest given) {
            this.scope = scope;
            this.budget = budget;
            this.isGiven = given != null;
            this.around = around(database);
            this.draft = drafts.read(given == null ? PolicySetRequest.empty() : given, around);
            if (!draft.isValid()) {
                throw ProblemException.of(
                        ProblemType.INVALID_POLICY_SET,
                        draft.faults().stream()
                                .map(fault -> fault.under("/policySet"))
                                .toList());
            }
            this.made = draft.make();
        }

        private Surroundings around(String database) {
            return new Surroundings(scope, database, budget.getAsInt(), store.guaranteedOn(database, scope));
        }

        /** Whether nothing that it was checked against has changed. */
        boolean holds() {
            return around(around.database()).equals(around) && drafts.areInstalled(draft);
        }

        @Override
        public void close() {
            made.close();
        }
    }
}
