package dev.headgate.lab.scaleup;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a distributed transaction. PostgreSQL keeps it with what it has prepared, so whoever finds a prepared transaction
 * knows whose it is and where its decision is logged.
 *
 * @param coordinator lower-case letters, digits and hyphens
 * @param home the site whose log has the decision
 * @param number of its coordinator
 */
record TransactionId(String coordinator, int home, long number) {

    private static final Pattern COORDINATOR = Pattern.compile("[a-z0-9-]{1,40}");
    private static final Pattern PREPARED = Pattern.compile("headgate:([a-z0-9-]+):([0-9]+):([0-9]+)@[0-9]+");

    TransactionId {
        if (!COORDINATOR.matcher(coordinator).matches()) {
            throw new IllegalArgumentException(
                    "a coordinator is called by 1 to 40 lower-case letters, digits and hyphens, was " + coordinator);
        }
    }

    /** What every prepared transaction of a coordinator begins with, and none of another one. */
    static String prefix(String coordinator) {
        return "headgate:" + coordinator + ":";
    }

    /** As the log has it. */
    String text() {
        return prefix(coordinator) + home + ":" + number;
    }

    /** The identifier of its part at a site. It names the site, because PostgreSQL wants it to be unique on the whole server. */
    String at(int site) {
        return text() + "@" + site;
    }

    /** The transaction that an identifier of a part names; empty if the identifier is somebody else's. */
    static Optional<TransactionId> of(String prepared) {
        Matcher parts = PREPARED.matcher(prepared);
        return parts.matches()
                ? Optional.of(new TransactionId(
                        parts.group(1), Integer.parseInt(parts.group(2)), Long.parseLong(parts.group(3))))
                : Optional.empty();
    }
}
