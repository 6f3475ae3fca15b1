package dev.headgate.bench;

import java.time.Instant;
import java.util.Collection;
import java.util.List;

/** A run whose tables {@link Report} writes: one that is kept in a file, or one that only the page still has. */
sealed interface ReportedRun permits KeptRun, PageRun {

    /** To the second, which tells a benchmark's runs apart. */
    Instant began();

    boolean quick();

    /** The rows it has, in their order. */
    List<String> rows();

    /** The same run with these rows only. */
    ReportedRun only(Collection<String> rows);
}
