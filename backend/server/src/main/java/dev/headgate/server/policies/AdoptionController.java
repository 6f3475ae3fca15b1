package dev.headgate.server.policies;

import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/policy-plugins/{id}/{version}/adopt")
@Tag(name = "policies")
class AdoptionController {

    /** How many scopes one request may name. */
    private static final int MOST = 10_000;

    private final Adoption adoption;
    private final LongRequests longRequests;

    AdoptionController(Adoption adoption, LongRequests longRequests) {
        this.adoption = adoption;
        this.longRequests = longRequests;
    }

    /** @param domains the scopes to move; a database is written "database/main". Omitted: all that use an older version */
    @Schema(name = "Adopt")
    record AdoptRequest(
            @Size(max = MOST, message = "must be at most " + MOST) @Nullable
            List<String> domains) {}

    /**
     * The outcome of one domain's move.
     *
     * @param domain a database is written "database/main"
     * @param from the versions that it had
     * @param revision in force now
     * @param outcome "adopted", "unchanged" or "refused"
     * @param reason why it was refused
     * @param parameters those that the set leaves out and that have another default in this version: from is the value in force
     */
    @Schema(name = "Adoption")
    record Adopted(
            String domain,
            List<String> from,
            long revision,
            String outcome,
            @Nullable String reason,
            List<Difference> parameters) {}

    @Schema(name = "AdoptionsList")
    record AdoptionsList(List<Adopted> items) {}

    @PostMapping
    @Refuses(ProblemType.INVALID_REQUEST)
    AdoptionsList adoptPolicyPlugin(
            @PathVariable String id,
            @PathVariable String version,
            @Valid @RequestBody(required = false) @Nullable AdoptRequest request) {
        @Nullable List<String> domains = request == null ? null : request.domains();
        return list(longRequests.answer(
                work(LongWork.Kind.ADOPT, id, version), progress -> adoption.adopt(id, version, domains, progress)));
    }

    /** The answer that adopting would give, without changing anything; {@code revision} is the one in force. */
    @PostMapping("/plan")
    @Refuses(ProblemType.INVALID_REQUEST)
    AdoptionsList planPolicyPluginAdoption(
            @PathVariable String id,
            @PathVariable String version,
            @Valid @RequestBody(required = false) @Nullable AdoptRequest request) {
        @Nullable List<String> domains = request == null ? null : request.domains();
        return list(longRequests.answer(
                work(LongWork.Kind.PLAN, id, version), progress -> adoption.plan(id, version, domains, progress)));
    }

    private LongWork work(LongWork.Kind kind, String id, String version) {
        return new LongWork(kind, "policy-plugins/" + id + "/" + version, adoption.bytes());
    }

    private static AdoptionsList list(List<Adoption.Move> moves) {
        return new AdoptionsList(moves.stream()
                .map(move -> new Adopted(
                        move.user(), move.from(), move.revision(), move.outcome(), move.reason(), move.parameters()))
                .toList());
    }
}
