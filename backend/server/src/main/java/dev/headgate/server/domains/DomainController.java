package dev.headgate.server.domains;

import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.server.api.ConnectionJson;
import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/domains")
@Tag(name = "domains")
class DomainController {

    private final Domains domains;

    DomainController(Domains domains) {
        this.domains = domains;
    }

    private static final Cursors<String> BY_NAME = Cursors.ofNames("domains");
    private static final Cursors<String> BY_ID = Cursors.ofNames("connections");

    /** Compares ids, which end in a number that grows within a pool. */
    private static final Comparator<String> OLDEST_FIRST =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    /**
     * A page of domains, by name.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "DomainsList")
    record DomainsList(List<DomainJson> items, @Nullable String nextCursor) {}

    /**
     * A page of connections, oldest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "ConnectionsList")
    record ConnectionsList(
            List<ConnectionJson> items, @Nullable String nextCursor) {}

    /**
     * @param q part of the name
     * @param label "NAME:VALUE", or "NAME" for any value
     * @param alarm a code, or "any"
     */
    @GetMapping
    DomainsList listDomains(
            @RequestParam(required = false) @Nullable String database,
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String q,
            @RequestParam(required = false) @Pattern(regexp = Labels.FILTER, message = "must be a label") @Nullable
                    String label,
            @Schema(allowableValues = {"open", "paused", "draining"})
                    @RequestParam(required = false)
                    @Pattern(regexp = "^(open|paused|draining)$", message = "must be a pool's state")
                    @Nullable
                    String state,
            @RequestParam(required = false) @Nullable String alarm,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<DomainJson> page =
                domains.page(new DomainFilter(database, q, label, state, alarm), BY_NAME.paging(limit, cursor));
        return new DomainsList(page.items(), page.nextCursor());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @ApiResponse(responseCode = "201", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    @Refuses({ProblemType.CONFLICT, ProblemType.INVALID_POLICY_SET})
    ResponseEntity<DomainJson> createDomain(@Valid @RequestBody DomainCreateRequest request) {
        DomainJson made = domains.create(request);
        return ResponseEntity.created(URI.create("/api/v1/domains/" + made.name()))
                .body(made);
    }

    @GetMapping("/{domain}")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    ResponseEntity<DomainJson> readDomain(@PathVariable String domain) {
        return answer(domains.read(domain));
    }

    private static ResponseEntity<DomainJson> answer(Domains.Kept kept) {
        return kept.version().answer().body(kept.domain());
    }

    @PatchMapping("/{domain}")
    @ApiResponse(responseCode = "200", useReturnTypeSchema = true, headers = @Header(name = "ETag"))
    ResponseEntity<DomainJson> changeDomain(
            @PathVariable String domain,
            @Parameter(schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch,
            @Valid @RequestBody DomainPatchRequest request) {
        return answer(domains.change(domain, request, ifMatch));
    }

    @DeleteMapping("/{domain}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteDomain(
            @PathVariable String domain,
            @Parameter(schema = @Schema(type = "string", pattern = EntityTag.PATTERN))
                    @RequestHeader(name = "If-Match", required = false)
                    @Nullable
                    String ifMatch) {
        domains.remove(domain, ifMatch);
    }

    @GetMapping("/{domain}/pool")
    PoolJson readPool(@PathVariable String domain) {
        return PoolJson.of(domains.pool(domain).status());
    }

    @GetMapping("/{domain}/connections")
    ConnectionsList listConnections(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<ConnectionJson> page = BY_ID.paging(limit, cursor)
                .pick(domains.pool(domain).connections(), ConnectionStatus::id, OLDEST_FIRST)
                .map(ConnectionJson::of);
        return new ConnectionsList(page.items(), page.nextCursor());
    }

    @PostMapping("/{domain}/pause")
    PoolJson pause(@PathVariable String domain) {
        return domains.act(domain, Domains.Action.PAUSE);
    }

    @PostMapping("/{domain}/resume")
    PoolJson resume(@PathVariable String domain) {
        return domains.act(domain, Domains.Action.RESUME);
    }

    @PostMapping("/{domain}/flush")
    PoolJson flush(@PathVariable String domain) {
        return domains.act(domain, Domains.Action.FLUSH);
    }

    @PostMapping("/{domain}/drain")
    PoolJson drain(@PathVariable String domain) {
        return domains.act(domain, Domains.Action.DRAIN);
    }
}
