package dev.headgate.server.policies;

import dev.headgate.engine.governor.PolicySet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The policies of a set, until a governor gets them. Closes those that none got. Belongs to one thread. */
public final class MadeSet implements AutoCloseable {

    private @Nullable PolicySet set;

    MadeSet(PolicySet set) {
        this.set = set;
    }

    /** For a governor, which closes it. Works once. */
    public PolicySet take(long revision) {
        PolicySet taken = Objects.requireNonNull(set).at(revision);
        set = null;
        return taken;
    }

    @Override
    public void close() {
        if (set != null) {
            Draft.close(set.members());
        }
    }
}
