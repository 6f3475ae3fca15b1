package dev.headgate.server.policies;

import io.swagger.v3.oas.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/databases/{database}/policies")
@Tag(name = "policies")
class DatabasePolicyController {

    private final Policies policies;
    private final Plans plans;

    DatabasePolicyController(Policies policies, Plans plans) {
        this.policies = policies;
        this.plans = plans;
    }

    @GetMapping
    ResponseEntity<PolicySetRevision> readDatabasePolicies(@PathVariable String database) {
        return Revisions.answer(policies.current(Scope.database(database)));
    }

    @PutMapping
    ResponseEntity<PolicySetRevision> putDatabasePolicies(
            @PathVariable String database,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestParam(required = false) @Nullable String guard,
            @RequestBody PolicySetRequest policySet) {
        return Revisions.answer(policies.put(
                Scope.database(database),
                Revisions.basedOn(ifMatch),
                policySet,
                guard == null ? null : GuardTerms.parse(guard)));
    }

    @PostMapping("/plan")
    Plan planDatabasePolicies(
            @PathVariable String database,
            @RequestParam(defaultValue = "true") boolean predict,
            @RequestBody PolicySetRequest policySet) {
        return plans.plan(Scope.database(database), policySet, predict);
    }

    @GetMapping("/revisions")
    Revisions listDatabasePolicyRevisions(@PathVariable String database) {
        return new Revisions(policies.history(Scope.database(database)));
    }

    @PostMapping("/revisions/{revision}/restore")
    ResponseEntity<PolicySetRevision> restoreDatabasePolicies(
            @PathVariable String database,
            @PathVariable long revision,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return Revisions.answer(policies.restore(Scope.database(database), revision, Revisions.basedOn(ifMatch)));
    }
}
