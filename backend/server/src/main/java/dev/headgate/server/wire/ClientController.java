package dev.headgate.server.wire;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/domains/{domain}/clients")
@Tag(name = "clients")
class ClientController {

    private static final Cursors<String> BY_NAME = Cursors.ofNames("clients");

    private final WireClients clients;

    ClientController(WireClients clients) {
        this.clients = clients;
    }

    /**
     * A page of a domain's clients, by name, and the address that they connect to.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "ClientsList")
    record ClientsList(List<ClientJson> items, @Nullable String nextCursor, EndpointJson endpoint) {}

    @GetMapping
    ClientsList listClients(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor,
            HttpServletRequest request) {
        Page<ClientJson> page = clients.page(domain, BY_NAME.paging(limit, cursor));
        return new ClientsList(page.items(), page.nextCursor(), endpoint(domain, request));
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @ApiResponse(responseCode = "201", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    @Refuses(ProblemType.CONFLICT)
    ResponseEntity<NewClientJson> createClient(
            @PathVariable String domain, @Valid @RequestBody ClientCreateRequest body, HttpServletRequest request) {
        WireClients.Made made = clients.create(domain, body);
        EndpointJson endpoint = endpoint(domain, request);
        String name = made.client().name();
        return ResponseEntity.created(URI.create("/api/v1/domains/" + domain + "/clients/" + name))
                .cacheControl(CacheControl.noStore())
                .body(new NewClientJson(
                        name,
                        made.client().createdAt(),
                        made.client().createdBy(),
                        made.password(),
                        endpoint.host(),
                        endpoint.port(),
                        domain,
                        endpoint.psql(name)));
    }

    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteClient(@PathVariable String domain, @PathVariable String name) {
        clients.remove(domain, name);
    }

    private EndpointJson endpoint(String domain, HttpServletRequest request) {
        return EndpointJson.of(clients.endpoint(), domain, request.getServerName());
    }
}
