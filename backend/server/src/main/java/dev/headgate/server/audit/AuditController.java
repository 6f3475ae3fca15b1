package dev.headgate.server.audit;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/audit")
@Tag(name = "audit")
class AuditController {

    private static final Cursors<Long> BY_ID = new Cursors<>("audit", Long::valueOf);

    private final Audit audit;

    AuditController(Audit audit) {
        this.audit = audit;
    }

    /**
     * Newest first. A page ends early where its entries are too large for the memory of one request.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "AuditPage")
    record AuditPage(List<AuditEntry> items, @Nullable String nextCursor) {}

    @GetMapping
    AuditPage listAudit(
            @RequestParam(required = false) @Nullable String actor,
            @RequestParam(required = false) @Nullable String action,
            @RequestParam(required = false) @Nullable String target,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<AuditEntry> page =
                audit.page(new AuditFilter(actor, action, target, from, to), BY_ID.paging(limit, cursor));
        return new AuditPage(page.items(), page.nextCursor());
    }
}
