package dev.headgate.server.leases;

import dev.headgate.engine.Requester;
import dev.headgate.engine.Who;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Locale;

/**
 * Who holds a lease, waits for one, or was turned away.
 *
 * @param kind "wire": a client of the wire port; "sql": SQL over HTTP; "jdbc": code in Headgate's own process
 * @param holder the label of its leases; empty where callers are grouped
 * @param user as it has logged in; empty for "jdbc"
 * @param application its application_name; may be empty
 * @param address where it connects from; may be empty
 * @param transaction the first characters of the id of a transaction over several requests; empty if it is none
 * @param thread for "jdbc", the name of the thread; may be empty
 */
@Schema(name = "LeaseCaller")
public record CallerJson(
        @Schema(allowableValues = {"wire", "sql", "jdbc"}) String kind,

        String holder,
        String user,
        String application,
        String address,
        String transaction,
        String thread) {

    static CallerJson of(Who who, String thread) {
        return new CallerJson(
                label(who.kind()),
                who.holder(),
                who.user(),
                who.application(),
                who.address(),
                who.transaction(),
                thread);
    }

    private static String label(Requester.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /** For a sentence. */
    String named() {
        return holder.isEmpty() ? kind : holder;
    }
}
