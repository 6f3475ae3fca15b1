package dev.headgate.server.live;

import com.fasterxml.jackson.annotation.JsonInclude;
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
import org.jspecify.annotations.Nullable;

/** A message of the server, sent as one JSON text frame. A client's {@code seq} grows by one with each frame. */
sealed interface Frame {

    /**
     * The first frame, the only one without {@code seq}.
     *
     * @param epoch changes with every start of the service: then a client forgets its data
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

    /**
     * The answer to a subscription: everything that it covers. Large: of 500 domains it has some 15 MB.
     *
     * @param summary of all domains, if the subscription asks for it
     */
    @Schema(name = "StreamSnapshot")
    record Snapshot(
            @Schema(allowableValues = "snapshot") String type,
            String node,
            long seq,
            Instant time,
            List<Deferred<PoolJson>> domains,
            List<Deferred<DatabaseJson>> databases,
            Map<String, Deferred<HistoryJson>> history,
            Map<String, Deferred<ConnectionColumns>> connections,
            List<Event> events,

            @Schema(requiredMode = Schema.RequiredMode.NOT_REQUIRED)
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            SummaryJson summary)
            implements Frame {}

    /**
     * The pools with measurements since {@code fromTime}, when the client's previous frame was made.
     *
     * @param seconds by domain, those that ended since {@code fromTime}, oldest first; one from the snapshot's history may appear again
     * @param connections by domain, if the subscription asks for them
     * @param summary what has changed of all domains, once a second if the subscription asks for it
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
            Map<String, Encoded<ConnectionColumns>> connections,

            @Schema(requiredMode = Schema.RequiredMode.NOT_REQUIRED)
            @JsonInclude(JsonInclude.Include.NON_NULL)
            @Nullable
            Encoded<SummaryJson> summary)
            implements Frame {}

    /** An event. */
    @Schema(name = "StreamEventFrame")
    record Happened(String node, long seq, @JsonUnwrapped Event event) implements Frame {}

    /** A sign of life when there is nothing else to send. */
    @Schema(name = "StreamBookmark")
    record Bookmark(@Schema(allowableValues = "bookmark") String type, String node, long seq, Instant time)
            implements Frame {}
}
