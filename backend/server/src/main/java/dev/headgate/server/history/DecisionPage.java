package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some decisions, newest first.
 *
 * @param nextCursor where the next page begins; null on the last
 * @param lost decisions of all domains that could not be kept since the service started
 */
@Schema(name = "DecisionPage")
public record DecisionPage(
        List<DecisionJson> items, @Nullable String nextCursor, long lost) {}
