package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/domains/{domain}/policies/shadow")
@Tag(name = "policies")
class ShadowController {

    private final Shadows shadows;

    ShadowController(Shadows shadows) {
        this.shadows = shadows;
    }

    /** @param optional whether a domain without a shadow set answers 204 and not 404 */
    @GetMapping
    @ApiResponse(responseCode = "200", description = "OK", useReturnTypeSchema = true)
    @ApiResponse(responseCode = "204", description = "There is no shadow set", content = @Content)
    ResponseEntity<ShadowSet> readShadowSet(
            @PathVariable String domain, @RequestParam(defaultValue = "false") boolean optional) {
        return optional
                ? shadows.find(domain)
                        .map(ResponseEntity::ok)
                        .orElseGet(() -> ResponseEntity.noContent().build())
                : ResponseEntity.ok(shadows.read(domain));
    }

    @PutMapping
    @Refuses(ProblemType.INVALID_POLICY_SET)
    ShadowSet putShadowSet(@PathVariable String domain, @RequestBody PolicySetRequest policySet) {
        return shadows.put(domain, policySet);
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeShadowSet(@PathVariable String domain) {
        shadows.remove(domain);
    }
}
