package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
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
    @Refuses({ProblemType.CONFLICT, ProblemType.INVALID_REQUEST, ProblemType.INVALID_POLICY_SET})
    ReplayResult replayDomain(@PathVariable String domain, @RequestBody ReplayRequest request) {
        return longRequests.answer(() -> replays.replay(Scope.domain(domain), request));
    }

    @PostMapping("/databases/{database}/policies/replay")
    @Refuses({ProblemType.CONFLICT, ProblemType.INVALID_REQUEST, ProblemType.INVALID_POLICY_SET})
    ReplayResult replayDatabase(@PathVariable String database, @RequestBody ReplayRequest request) {
        return longRequests.answer(() -> replays.replay(Scope.database(database), request));
    }
}
