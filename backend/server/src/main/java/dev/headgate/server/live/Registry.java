package dev.headgate.server.live;

import java.util.Collections;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What the control store has of each domain and every page shows. Safe for any thread, and does not block. */
@FunctionalInterface
interface Registry {

    /** {@link Entry#NONE} for a domain that there is not. */
    Entry of(String domain);

    /** @param managedBy the owner of the domain's policy set ("files: headgate.yaml"); null if it is edited by hand */
    record Entry(SortedMap<String, String> labels, @Nullable String managedBy) {

        static final Entry NONE = new Entry(Collections.emptySortedMap(), null);
    }
}
