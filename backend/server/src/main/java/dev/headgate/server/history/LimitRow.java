package dev.headgate.server.history;

import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * What one source allows a pool.
 *
 * @param source "policy" of the domain, "database-policy", "budget", or "server"
 * @param name the policy, the database, or the server's address; the domain or the database if not even that is known
 * @param allows the connections that the pool may hold by this source alone; null if it does not bound them, or is not known
 * @param known false if it is not known what the source allowed at that moment: it is not kept, or something that it depends on
 * @param sentence why
 * @param binds whether this is the smallest: the pool's limit comes from here
 * @param next whether this would be the limit if those that bind were lifted
 */
@Schema(name = "LimitRow")
record LimitRow(
        @Schema(allowableValues = {"policy", "database-policy", "budget", "server"})
        String source,

        String name,
        @Nullable Integer allows,
        boolean known,
        String sentence,
        boolean binds,
        boolean next) {}
