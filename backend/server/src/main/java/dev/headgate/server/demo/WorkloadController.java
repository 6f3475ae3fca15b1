package dev.headgate.server.demo;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.EntityTag;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/workloads")
@Tag(name = "workloads")
class WorkloadController {

    private static final Cursors<String> BY_NAME = Cursors.ofNames("workloads");

    private final Workloads workloads;

    WorkloadController(Workloads workloads) {
        this.workloads = workloads;
    }

    /**
     * By name: those of the demo, and those that users have sent.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "WorkloadsList")
    record WorkloadsList(List<WorkloadJson> items, @Nullable String nextCursor) {}

    @GetMapping
    WorkloadsList listWorkloads(
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<WorkloadJson> page = workloads.page(BY_NAME.paging(limit, cursor));
        return new WorkloadsList(page.items(), page.nextCursor());
    }

    @GetMapping("/{name}")
    WorkloadJson readWorkload(@PathVariable String name) {
        return workloads.get(name);
    }

    @PatchMapping("/{name}")
    @Refuses(ProblemType.INVALID_REQUEST)
    WorkloadJson changeWorkload(@PathVariable String name, @RequestBody WorkloadPatchRequest request) {
        return workloads.change(name, request);
    }

    /**
     * Starts a user's load. It is not kept over a restart of the service.
     *
     * @param ifNoneMatch {@value EntityTag#ANY} to start it only if there is no load of its name
     */
    @PutMapping("/{name}")
    @Refuses({ProblemType.INVALID_REQUEST, ProblemType.CONFLICT})
    @ApiResponse(responseCode = "200", description = "In place of an earlier one", useReturnTypeSchema = true)
    @ApiResponse(responseCode = "201", description = "New", useReturnTypeSchema = true)
    ResponseEntity<WorkloadJson> putWorkload(
            @Parameter(schema = @Schema(type = "string", pattern = "^[a-z][a-z0-9-]{0,62}$")) @PathVariable String name,
            @Parameter(schema = @Schema(type = "string", allowableValues = EntityTag.ANY))
                    @RequestHeader(name = "If-None-Match", required = false)
                    @Nullable
                    String ifNoneMatch,
            @Valid @RequestBody WorkloadPutRequest request) {
        boolean replaces = !EntityTag.isAny(ifNoneMatch);
        HttpStatus status = workloads.put(name, request, replaces) ? HttpStatus.CREATED : HttpStatus.OK;
        return ResponseEntity.status(status).body(workloads.get(name));
    }

    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Refuses(ProblemType.CONFLICT)
    void deleteWorkload(@PathVariable String name) {
        workloads.remove(name);
    }
}
