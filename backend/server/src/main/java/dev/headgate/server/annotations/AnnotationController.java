package dev.headgate.server.annotations;

import dev.headgate.server.api.Page;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Instant;
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
@RequestMapping("/api/v1/annotations")
@Tag(name = "annotations")
class AnnotationController {

    private final Annotations annotations;

    AnnotationController(Annotations annotations) {
        this.annotations = annotations;
    }

    /**
     * A page of annotations, newest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "AnnotationPage")
    record AnnotationPage(List<Annotation> items, @Nullable String nextCursor) {}

    /** @param domain whose charts show them: its own, those of its database, and those of all */
    @GetMapping
    AnnotationPage listAnnotations(
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String domain,
            @Schema(allowableValues = {"deploy", "failover", "note"})
                    @RequestParam(required = false)
                    @Pattern(regexp = "^(deploy|failover|note)$", message = "must be a kind")
                    @Nullable
                    String kind,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<Annotation> page = annotations.page(
                new AnnotationFilter(domain, null, kind, from, to), AnnotationPlace.CURSORS.paging(limit, cursor));
        return new AnnotationPage(page.items(), page.nextCursor());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @ApiResponse(responseCode = "201", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    ResponseEntity<Annotation> createAnnotation(@Valid @RequestBody AnnotationRequest request) {
        Annotation made = annotations.create(request);
        return ResponseEntity.created(URI.create("/api/v1/annotations/" + made.id()))
                .body(made);
    }

    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void deleteAnnotation(@PathVariable String id) {
        annotations.remove(id);
    }
}
