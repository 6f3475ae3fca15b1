package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of decisions, newest first.
 *
 * @param nextCursor the start of the next page; null on the last
 * @param lost decisions of all domains that could not be stored since the service started
 */
@Schema(name = "DecisionPage")
public record DecisionPage(
        List<DecisionJson> items, @Nullable String nextCursor, long lost) {}
