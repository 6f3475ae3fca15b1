package dev.headgate.server.live;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseJson;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.Second;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A message of the server, sent as one JSON text frame. A client's {@code seq} grows by one with each frame. */
sealed interface Frame {

    /**
     * The first frame, which alone has no {@code seq}.
     *
     * @param epoch another with every start of the service: a client that sees a new one forgets what it knew
     */
    @Schema(name = "StreamHello")
    record Hello(
            @Schema(allowableValues = "hello") String type,
            String node,
            String epoch,
            int schemaVersion,
            Instant time,
            String version)
            implements Frame {}

    /** Everything the subscription covers; the answer to it. */
    @Schema(name = "StreamSnapshot")
    record Snapshot(
            @Schema(allowableValues = "snapshot") String type,
            String node,
            long seq,
            Instant time,
            List<PoolJson> domains,
            List<DatabaseJson> databases,
            Map<String, HistoryJson> history,
            Map<String, ConnectionColumns> connections,
            List<Event> events)
            implements Frame {}

    /**
     * The pools of which something was measured since {@code fromTime}, when the client's frame before was made.
     *
     * @param seconds by domain, those that were over since {@code fromTime}, oldest first; one that the snapshot's history
     *     has may be told again
     * @param connections by domain, where the subscription asks for them
     */
    @Schema(name = "StreamDelta")
    record Delta(
            @Schema(allowableValues = "delta") String type,
            String node,
            long seq,
            Instant time,
            Instant fromTime,
            List<Encoded<PoolDelta>> domains,
            Map<String, List<Encoded<Second>>> seconds,
            List<DatabaseSummaryJson> databases,
            Map<String, Encoded<ConnectionColumns>> connections)
            implements Frame {}

    /** Something that happened. */
    @Schema(name = "StreamEventFrame")
    record Happened(String node, long seq, @JsonUnwrapped Event event) implements Frame {}

    /** Nothing to say, and still here. */
    @Schema(name = "StreamBookmark")
    record Bookmark(@Schema(allowableValues = "bookmark") String type, String node, long seq, Instant time)
            implements Frame {}
}
