package dev.headgate.server.live;

import java.util.SortedMap;

/** The labels of each domain. Safe for any thread, and does not block. */
@FunctionalInterface
interface DomainLabels {

    /** Empty for a domain that there is not. */
    SortedMap<String, String> of(String domain);
}
