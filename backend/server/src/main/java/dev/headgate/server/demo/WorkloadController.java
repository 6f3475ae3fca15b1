package dev.headgate.server.demo;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
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
     * By name; empty without the demo.
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
}
