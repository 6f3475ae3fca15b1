package dev.headgate.server.sizing;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.Comparator;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
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
@RequestMapping("/api/v1/domains/{domain}/size-searches")
@Tag(name = "policies")
class SizeController {

    private static final Cursors<Long> BY_ID = new Cursors<>("size-searches", Long::valueOf);

    private final SizeSearches searches;

    SizeController(SizeSearches searches) {
        this.searches = searches;
    }

    /**
     * Newest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "SizeSearchPage")
    record SizeSearchPage(
            List<SizeSearchRun> items, @Nullable String nextCursor) {}

    /** Tries sizes on the live load of a domain, and answers with a policy set. Its state is at the Location. */
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    @Refuses({ProblemType.INVALID_REQUEST, ProblemType.CONFLICT})
    @ApiResponse(responseCode = "202", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    ResponseEntity<SizeSearchRun> findSize(@PathVariable String domain, @Valid @RequestBody SizeSearchRequest request) {
        SizeSearchRun run = searches.start(domain, request);
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/domains/" + run.domain() + "/size-searches/" + run.id()))
                .body(run);
    }

    @GetMapping
    SizeSearchPage listSizeSearches(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<SizeSearchRun> page = BY_ID.paging(limit, cursor)
                .pick(searches.of(domain), run -> Long.valueOf(run.id()), Comparator.reverseOrder());
        return new SizeSearchPage(page.items(), page.nextCursor());
    }

    /** Its state and trials, and finally its answer. */
    @GetMapping("/{id}")
    SizeSearchRun readSizeSearch(@PathVariable String domain, @PathVariable String id) {
        return searches.read(domain, id);
    }

    /** Cancels a search that runs; forgets one that has ended. */
    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeSizeSearch(@PathVariable String domain, @PathVariable String id) {
        searches.remove(domain, id);
    }
}
