package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.Preferences;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Waits for a replay, or answers at once if the caller prefers that ({@code Prefer: respond-async}, RFC 7240). */
@RestController
@RequestMapping("/api/v1")
@Tag(name = "policies")
class ReplayController {

    private final Replays replays;
    private final ReplayRuns runs;
    private final LongRequests longRequests;

    ReplayController(Replays replays, ReplayRuns runs, LongRequests longRequests) {
        this.replays = replays;
        this.runs = runs;
        this.longRequests = longRequests;
    }

    @PostMapping("/domains/{domain}/policies/replay")
    @AnswersReplay
    ResponseEntity<?> replayDomain(
            @PathVariable String domain,
            @RequestHeader(name = Preferences.HEADER, required = false) @Nullable String prefer,
            @RequestBody ReplayRequest request) {
        return replay(Scope.domain(domain), prefer, request);
    }

    @PostMapping("/databases/{database}/policies/replay")
    @AnswersReplay
    ResponseEntity<?> replayDatabase(
            @PathVariable String database,
            @RequestHeader(name = Preferences.HEADER, required = false) @Nullable String prefer,
            @RequestBody ReplayRequest request) {
        return replay(Scope.database(database), prefer, request);
    }

    /** The progress of a replay, and finally its result. Kept for the last ten. */
    @GetMapping("/replays/{id}")
    ReplayRun readReplay(@PathVariable String id) {
        return runs.read(id);
    }

    /** Cancels a replay, or forgets its result. */
    @DeleteMapping("/replays/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeReplay(@PathVariable String id) {
        runs.remove(id);
    }

    private ResponseEntity<?> replay(Scope scope, @Nullable String prefer, ReplayRequest request) {
        Replays.Asked asked = replays.ask(scope, request);
        if (Preferences.respondAsync(prefer)) {
            ReplayRun run = runs.start(asked);
            return ResponseEntity.accepted()
                    .location(URI.create("/api/v1/replays/" + run.id()))
                    .header(Preferences.APPLIED, Preferences.RESPOND_ASYNC)
                    .body(run);
        }
        try (asked) {
            return ResponseEntity.ok(longRequests.answer(asked.work(), progress -> asked.run(progress::at)));
        }
    }
}
