package dev.headgate.server.domains;

import dev.headgate.server.api.ConnectionJson;
import dev.headgate.server.api.PoolJson;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
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

    @Schema(name = "DomainsList")
    record DomainsList(List<DomainJson> items) {}

    /** Oldest first. */
    @Schema(name = "ConnectionsList")
    record ConnectionsList(List<ConnectionJson> items) {}

    @GetMapping
    DomainsList listDomains() {
        return new DomainsList(domains.list());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    ResponseEntity<DomainJson> createDomain(@Valid @RequestBody DomainCreateRequest request) {
        DomainJson made = domains.create(request);
        return ResponseEntity.created(URI.create("/api/v1/domains/" + made.name()))
                .body(made);
    }

    @GetMapping("/{domain}")
    DomainJson readDomain(@PathVariable String domain) {
        return domains.get(domain);
    }

    @PatchMapping("/{domain}")
    DomainJson changeDomain(
            @PathVariable String domain,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch,
            @Valid @RequestBody DomainPatchRequest request) {
        return domains.change(domain, request, ifMatch);
    }

    @DeleteMapping("/{domain}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteDomain(@PathVariable String domain) {
        domains.remove(domain);
    }

    @GetMapping("/{domain}/pool")
    PoolJson readPool(@PathVariable String domain) {
        return PoolJson.of(domains.pool(domain).status());
    }

    @GetMapping("/{domain}/connections")
    ConnectionsList listConnections(@PathVariable String domain) {
        return new ConnectionsList(domains.pool(domain).connections().stream()
                .map(ConnectionJson::of)
                .toList());
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
