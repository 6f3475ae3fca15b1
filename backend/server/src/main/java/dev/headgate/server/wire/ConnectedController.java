package dev.headgate.server.wire;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.wire.ClientStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Size;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/domains/{domain}")
@Tag(name = "clients")
class ConnectedController {

    private static final Cursors<Integer> BY_ID = new Cursors<>("wire-clients", Integer::valueOf);
    private static final Cursors<String> BY_NAME = Cursors.ofNames("wire-applications");

    private final WireClients clients;

    ConnectedController(WireClients clients) {
        this.clients = clients;
    }

    /**
     * A page of connected clients, by id.
     *
     * @param nextCursor null on the last page
     * @param total of all pages
     */
    @Schema(name = "ConnectedClientsList")
    record ConnectedClientsList(
            List<ConnectedClientJson> items, @Nullable String nextCursor, int total) {}

    /**
     * A page of applications with connected clients, by name.
     *
     * @param nextCursor null on the last page
     * @param total connected clients, of all pages
     */
    @Schema(name = "ConnectedApplicationsList")
    record ConnectedApplicationsList(
            List<ConnectedApplicationJson> items, @Nullable String nextCursor, int total) {}

    /**
     * The connected clients of the wire port, one by one.
     *
     * @param application the whole application_name
     * @param q part of the application_name, the user or the address, in either case
     */
    @GetMapping("/wire-clients")
    ConnectedClientsList listConnectedClients(
            @PathVariable String domain,
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String application,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String q,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Collection<Integer> all = application == null && q == null
                ? clients.connectedIds(domain)
                : found(domain, q).stream()
                        .filter(each ->
                                application == null || each.application().equals(application))
                        .map(ClientStatus::id)
                        .toList();
        Page<Integer> page = BY_ID.paging(limit, cursor).pick(all, id -> id, Comparator.naturalOrder());
        List<ConnectedClientJson> items = page.items().stream()
                .flatMap(id -> clients.connected(id).stream()) // but those who have gone meanwhile
                .map(ConnectedClientJson::of)
                .toList();
        return new ConnectedClientsList(items, page.nextCursor(), all.size());
    }

    /**
     * The connected clients of the wire port by application, user and address.
     *
     * @param q part of the application_name, the user or the address, in either case
     */
    @GetMapping("/wire-applications")
    ConnectedApplicationsList listConnectedApplications(
            @PathVariable String domain,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String q,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        List<ClientStatus> all = found(domain, q);
        Map<String, List<ClientStatus>> grouped =
                all.stream().collect(Collectors.groupingBy(ConnectedApplicationJson::key));
        Page<ConnectedApplicationJson> page = BY_NAME.paging(limit, cursor)
                .pick(grouped.entrySet(), Map.Entry::getKey, Comparator.naturalOrder())
                .map(entry -> ConnectedApplicationJson.of(entry.getValue()));
        return new ConnectedApplicationsList(page.items(), page.nextCursor(), all.size());
    }

    private List<ClientStatus> found(String domain, @Nullable String q) {
        List<ClientStatus> all = clients.connected(domain);
        if (q == null) {
            return all;
        }
        String part = q.toLowerCase(Locale.ROOT);
        return all.stream()
                .filter(each -> Stream.of(each.application(), each.user(), each.address())
                        .anyMatch(text -> text.toLowerCase(Locale.ROOT).contains(part)))
                .toList();
    }
}
