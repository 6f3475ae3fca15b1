package dev.headgate.server.rehearsals;

import dev.headgate.server.api.Scope;
import dev.headgate.server.limits.LongRequests;
import dev.headgate.server.limits.LongWork;
import dev.headgate.server.policies.PolicySetRequest;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1")
@Tag(name = "policies")
class PlanController {

    private final Plans plans;
    private final LongRequests longRequests;

    PlanController(Plans plans, LongRequests longRequests) {
        this.plans = plans;
        this.longRequests = longRequests;
    }

    @PostMapping("/domains/{domain}/policies/plan")
    Plan planDomainPolicies(
            @PathVariable String domain,
            @RequestParam(defaultValue = "true") boolean predict,
            @RequestBody PolicySetRequest policySet) {
        return plan(Scope.domain(domain), policySet, predict);
    }

    @PostMapping("/databases/{database}/policies/plan")
    Plan planDatabasePolicies(
            @PathVariable String database,
            @RequestParam(defaultValue = "true") boolean predict,
            @RequestBody PolicySetRequest policySet) {
        return plan(Scope.database(database), policySet, predict);
    }

    private Plan plan(Scope scope, PolicySetRequest policySet, boolean predict) {
        return longRequests.answer(
                new LongWork(LongWork.Kind.PLAN, scope.path(), plans.bytes(scope, predict)),
                progress -> plans.plan(scope, policySet, predict, progress));
    }
}
