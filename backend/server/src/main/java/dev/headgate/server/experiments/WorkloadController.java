package dev.headgate.server.experiments;

import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/workloads")
@Tag(name = "workloads")
class WorkloadController {

    private final Workloads workloads;

    WorkloadController(Workloads workloads) {
        this.workloads = workloads;
    }

    /** Empty without the demo. */
    @Schema(name = "WorkloadsList")
    record WorkloadsList(List<WorkloadJson> items) {}

    @GetMapping
    WorkloadsList listWorkloads() {
        return new WorkloadsList(workloads.list());
    }

    @GetMapping("/{name}")
    WorkloadJson readWorkload(@PathVariable String name) {
        return workloads.get(name);
    }

    @PatchMapping("/{name}")
    WorkloadJson changeWorkload(@PathVariable String name, @RequestBody WorkloadPatchRequest request) {
        return workloads.change(name, request);
    }
}
