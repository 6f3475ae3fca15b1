package dev.headgate.server.audit;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
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
    AuditPage list(
            @RequestParam(defaultValue = "50") @Range(min = 1, max = 500) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Audit.Page page = audit.page(before(cursor), limit);
        return new AuditPage(page.items(), page.more() ? page.items().getLast().id() : null);
    }

    private static long before(@Nullable String cursor) {
        if (cursor == null || cursor.isEmpty()) {
            return Long.MAX_VALUE;
        }
        try {
            return Long.parseLong(cursor);
        } catch (NumberFormatException e) {
            throw ProblemException.of(
                    ProblemType.MALFORMED_REQUEST, "'cursor' must be the nextCursor of an earlier page.");
        }
    }
}
