package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongRequests;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
@Tag(name = "policies")
class ReplayController {

    private final Replays replays;
    private final LongRequests longRequests;

    ReplayController(Replays replays, LongRequests longRequests) {
        this.replays = replays;
        this.longRequests = longRequests;
    }

    @PostMapping("/domains/{domain}/policies/replay")
    ReplayResult replayDomain(@PathVariable String domain, @RequestBody ReplayRequest request) {
        return longRequests.answer(() -> replays.replay(Scope.domain(domain), request));
    }

    @PostMapping("/databases/{database}/policies/replay")
    ReplayResult replayDatabase(@PathVariable String database, @RequestBody ReplayRequest request) {
        return longRequests.answer(() -> replays.replay(Scope.database(database), request));
    }
}
