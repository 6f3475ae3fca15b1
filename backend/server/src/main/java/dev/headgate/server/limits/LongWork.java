package dev.headgate.server.limits;

import java.util.Locale;

/**
 * What a long request asks for.
 *
 * @param of a domain ("domains/shop"), a database ("databases/main"), the name of files, a plugin's version ("policy-plugins/min-max/2"), or empty for
 *     everything
 * @param bytes an estimate of the memory that the work needs
 */
public record LongWork(Kind kind, String of, long bytes) {

    /** What the work is. */
    public enum Kind {
        REPLAY,
        PLAN,
        DIFF,
        APPLY,
        ADOPT,
        EXPORT,
        HISTORY;

        /** As in the API: "replay". */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
