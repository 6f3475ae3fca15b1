package dev.headgate.server.policies;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Scope;
import dev.headgate.server.guards.GuardTerms;
import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.hibernate.validator.constraints.Range;
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

/** The sets of domains and of databases. The paths differ, and the operations are the same. */
@RestController
@RequestMapping("/api/v1")
@Tag(name = "policies")
class PolicyController {

    private static final Cursors<Long> BY_REVISION = new Cursors<>("revisions", Long::valueOf);

    private final Policies policies;

    PolicyController(Policies policies) {
        this.policies = policies;
    }

    @GetMapping("/domains/{domain}/policies")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    ResponseEntity<PolicySetRevision> readDomainPolicies(@PathVariable String domain) {
        return read(Scope.domain(domain));
    }

    @GetMapping("/databases/{database}/policies")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    ResponseEntity<PolicySetRevision> readDatabasePolicies(@PathVariable String database) {
        return read(Scope.database(database));
    }

    private ResponseEntity<PolicySetRevision> read(Scope scope) {
        return Revisions.answer(policies.current(scope));
    }

    @PutMapping("/domains/{domain}/policies")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    @Refuses({ProblemType.MANAGED_BY_FILES, ProblemType.INVALID_POLICY_SET, ProblemType.PRECONDITION_REQUIRED})
    ResponseEntity<PolicySetRevision> putDomainPolicies(
            @PathVariable String domain,
            @Parameter(required = true, schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch,
            @Parameter(
                            example = "p99Ms:50,errorRate:0.01,within:60s",
                            schema = @Schema(type = "string", pattern = GuardTerms.PATTERN))
                    @RequestParam(required = false)
                    @Nullable
                    String guard,
            @RequestBody PolicySetRequest policySet) {
        return put(Scope.domain(domain), ifMatch, guard, policySet);
    }

    @PutMapping("/databases/{database}/policies")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    @Refuses({ProblemType.MANAGED_BY_FILES, ProblemType.INVALID_POLICY_SET, ProblemType.PRECONDITION_REQUIRED})
    ResponseEntity<PolicySetRevision> putDatabasePolicies(
            @PathVariable String database,
            @Parameter(required = true, schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch,
            @Parameter(
                            example = "p99Ms:50,errorRate:0.01,within:60s",
                            schema = @Schema(type = "string", pattern = GuardTerms.PATTERN))
                    @RequestParam(required = false)
                    @Nullable
                    String guard,
            @RequestBody PolicySetRequest policySet) {
        return put(Scope.database(database), ifMatch, guard, policySet);
    }

    private ResponseEntity<PolicySetRevision> put(
            Scope scope, @Nullable String ifMatch, @Nullable String guard, PolicySetRequest policySet) {
        long basedOn = Revisions.basedOn(ifMatch);
        return Revisions.answer(
                policies.put(scope, basedOn, policySet, guard == null ? null : GuardTerms.parse(guard)));
    }

    @GetMapping("/domains/{domain}/policies/revisions")
    Revisions listDomainPolicyRevisions(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return revisions(Scope.domain(domain), limit, cursor);
    }

    @GetMapping("/databases/{database}/policies/revisions")
    Revisions listDatabasePolicyRevisions(
            @PathVariable String database,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        return revisions(Scope.database(database), limit, cursor);
    }

    private Revisions revisions(Scope scope, int limit, @Nullable String cursor) {
        Page<PolicySetRevision> page = policies.history(scope, BY_REVISION.paging(limit, cursor));
        return new Revisions(page.items(), page.nextCursor());
    }

    @PostMapping("/domains/{domain}/policies/revisions/{revision}/restore")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    @Refuses({ProblemType.MANAGED_BY_FILES, ProblemType.INVALID_POLICY_SET, ProblemType.PRECONDITION_REQUIRED})
    ResponseEntity<PolicySetRevision> restoreDomainPolicies(
            @PathVariable String domain,
            @PathVariable long revision,
            @Parameter(required = true, schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch) {
        return restore(Scope.domain(domain), revision, ifMatch);
    }

    @PostMapping("/databases/{database}/policies/revisions/{revision}/restore")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    @Refuses({ProblemType.MANAGED_BY_FILES, ProblemType.INVALID_POLICY_SET, ProblemType.PRECONDITION_REQUIRED})
    ResponseEntity<PolicySetRevision> restoreDatabasePolicies(
            @PathVariable String database,
            @PathVariable long revision,
            @Parameter(required = true, schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch) {
        return restore(Scope.database(database), revision, ifMatch);
    }

    private ResponseEntity<PolicySetRevision> restore(Scope scope, long revision, @Nullable String ifMatch) {
        return Revisions.answer(policies.restore(scope, revision, Revisions.basedOn(ifMatch)));
    }
}
