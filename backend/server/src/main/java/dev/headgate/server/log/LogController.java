package dev.headgate.server.log;

import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/api/v1/log")
@Tag(name = "log")
class LogController {

    private static final Cursors<Long> BY_ID = new Cursors<>("log", Long::valueOf);

    private final LogLines lines;

    LogController(LogLines lines) {
        this.lines = lines;
    }

    /**
     * A page of lines, newest first.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "LogPage")
    record LogPage(List<LogLine> items, @Nullable String nextCursor) {}

    /**
     * The service's own log, as far back as memory reaches: at most 5,000 lines, since the start of the service.
     *
     * @param domain that the lines are about
     * @param level the least
     * @param q part of the message or of the stack trace
     */
    @GetMapping
    LogPage listLog(
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String domain,
            @Schema(allowableValues = {"debug", "info", "warn", "error"})
                    @RequestParam(required = false)
                    @Pattern(regexp = "^(debug|info|warn|error)$", message = "must be a level")
                    @Nullable
                    String level,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String q,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<LogLine> page = lines.page(new LogFilter(domain, level, q), BY_ID.paging(limit, cursor));
        return new LogPage(page.items(), page.nextCursor());
    }
}
