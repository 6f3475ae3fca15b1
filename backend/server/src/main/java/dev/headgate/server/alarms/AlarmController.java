package dev.headgate.server.alarms;

import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.time.Instant;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
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
@RequestMapping("/api/v1/alarms")
@Tag(name = "alarms")
class AlarmController {

    private final Alarms alarms;

    AlarmController(Alarms alarms) {
        this.alarms = alarms;
    }

    /**
     * @param domain that the alarms concern: its own, those of its database, and those of the service, but for those that stand on other domains only
     * @param from leaves out alarms that ended before
     * @param to leaves out alarms that began then or later
     */
    @GetMapping
    AlarmPage listAlarms(
            @Schema(allowableValues = {"open", "past"})
                    @RequestParam(required = false)
                    @Pattern(regexp = "^(open|past)$", message = "must be an alarm's state")
                    @Nullable
                    String state,
            @RequestParam(required = false) @Size(max = 63, message = "must have at most 63 characters") @Nullable
                    String domain,
            @RequestParam(required = false) @Size(max = 100, message = "must have at most 100 characters") @Nullable
                    String code,
            @RequestParam(required = false) @Nullable Instant from,
            @RequestParam(required = false) @Nullable Instant to,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Boolean open = state == null ? null : (Boolean) state.equals("open");
        return alarms.page(
                new AlarmFilter(open, domain, null, code, from, to), AlarmPlace.CURSORS.paging(limit, cursor));
    }

    /** Notes that somebody has seen an alarm. The first one counts. */
    @PostMapping("/{id}/acknowledge")
    @Refuses(ProblemType.CONFLICT)
    LoggedAlarm acknowledgeAlarm(@PathVariable String id, @Valid @RequestBody AcknowledgeRequest request) {
        return alarms.acknowledge(id, request.reason());
    }

    /** Silences an alarm, and the same again, for some time from now. */
    @PostMapping("/{id}/silence")
    @Refuses(ProblemType.CONFLICT)
    LoggedAlarm silenceAlarm(@PathVariable String id, @Valid @RequestBody SilenceRequest request) {
        return alarms.silence(id, request.reason(), Duration.ofMinutes(request.forMinutes()));
    }

    /** Takes a silence back. */
    @DeleteMapping("/{id}/silence")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void unsilenceAlarm(@PathVariable String id) {
        alarms.unsilence(id);
    }
}
