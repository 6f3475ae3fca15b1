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
@RequestMapping("/api/v1/domains/{domain}/policies")
@Tag(name = "policies")
class DomainPolicyController {

    private final Policies policies;
    private final Plans plans;

    DomainPolicyController(Policies policies, Plans plans) {
        this.policies = policies;
        this.plans = plans;
    }

    @GetMapping
    ResponseEntity<PolicySetRevision> readDomainPolicies(@PathVariable String domain) {
        return Revisions.answer(policies.current(Scope.domain(domain)));
    }

    @PutMapping
    ResponseEntity<PolicySetRevision> putDomainPolicies(
            @PathVariable String domain,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @RequestParam(required = false) @Nullable String guard,
            @RequestBody PolicySetRequest policySet) {
        return Revisions.answer(policies.put(
                Scope.domain(domain),
                Revisions.basedOn(ifMatch),
                policySet,
                guard == null ? null : GuardTerms.parse(guard)));
    }

    @PostMapping("/plan")
    Plan planDomainPolicies(
            @PathVariable String domain,
            @RequestParam(defaultValue = "true") boolean predict,
            @RequestBody PolicySetRequest policySet) {
        return plans.plan(Scope.domain(domain), policySet, predict);
    }

    @GetMapping("/revisions")
    Revisions listDomainPolicyRevisions(@PathVariable String domain) {
        return new Revisions(policies.history(Scope.domain(domain)));
    }

    @PostMapping("/revisions/{revision}/restore")
    ResponseEntity<PolicySetRevision> restoreDomainPolicies(
            @PathVariable String domain,
            @PathVariable long revision,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return Revisions.answer(policies.restore(Scope.domain(domain), revision, Revisions.basedOn(ifMatch)));
    }
}
