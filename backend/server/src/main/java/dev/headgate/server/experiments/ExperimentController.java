package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Experiments;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.report.ChartSvg;
import dev.headgate.lab.report.MarkdownReport;
import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.Valid;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
@RequestMapping("/api/v1/experiments")
@Tag(name = "experiments")
class ExperimentController {

    private static final String RUNS = "/api/v1/experiments/runs/";
    private static final Cursors<String> BY_NAME = Cursors.ofNames("experiments");
    private static final Cursors<Long> BY_ID = new Cursors<>("experiment-runs", Long::valueOf);

    private final ExperimentRuns runs;

    ExperimentController(ExperimentRuns runs) {
        this.runs = runs;
    }

    /**
     * By name.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "ExperimentPage")
    record ExperimentPage(
            List<ExperimentJson> items, @Nullable String nextCursor) {}

    /**
     * Newest first, without their reports.
     *
     * @param nextCursor null on the last page
     */
    @Schema(name = "ExperimentRunPage")
    record ExperimentRunPage(
            List<ExperimentRunJson> items, @Nullable String nextCursor) {}

    @GetMapping
    ExperimentPage listExperiments(
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<ExperimentJson> page = BY_NAME.paging(limit, cursor)
                .pick(
                        Experiments.all().stream().map(ExperimentJson::of).toList(),
                        ExperimentJson::name,
                        String::compareTo);
        return new ExperimentPage(page.items(), page.nextCursor());
    }

    /** Starts a run. Its state is at the Location. One run at a time. */
    @PostMapping("/{name}/runs")
    @ResponseStatus(HttpStatus.ACCEPTED)
    @Refuses({ProblemType.INVALID_REQUEST, ProblemType.CONFLICT, ProblemType.UNAVAILABLE})
    @ApiResponse(responseCode = "202", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    ResponseEntity<ExperimentRunJson> runExperiment(
            @PathVariable String name, @Valid @RequestBody ExperimentRunRequest request) {
        ExperimentRunJson run = runs.start(name, request);
        return ResponseEntity.accepted().location(URI.create(RUNS + run.id())).body(run);
    }

    @GetMapping("/runs")
    ExperimentRunPage listExperimentRuns(
            @RequestParam(required = false) @Nullable String experiment,
            @RequestParam(defaultValue = Page.LOG_LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        Page<ExperimentRunJson> page = runs.page(experiment, BY_ID.paging(limit, cursor));
        return new ExperimentRunPage(page.items(), page.nextCursor());
    }

    /** Its state and progress, and finally its report. */
    @GetMapping("/runs/{id}")
    ExperimentRunJson readExperimentRun(@PathVariable String id) {
        return runs.read(id);
    }

    /** Cancels a run that is in progress. One that has ended stays as it is. Answers with the run as it was. */
    @PostMapping("/runs/{id}/cancel")
    ExperimentRunJson cancelExperimentRun(@PathVariable String id) {
        return runs.cancel(id);
    }

    /** Cancels a run that is in progress; deletes one that has ended. */
    @DeleteMapping("/runs/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeExperimentRun(@PathVariable String id) {
        runs.remove(id);
    }

    /**
     * The report in Markdown, with the run and what it was measured on.
     *
     * @param pictures whether charts are links to files beside it ({@code pools-1.svg}, as {@code ./headgate lab --to} writes them)
     *     and not tables of their values
     */
    @GetMapping(path = "/runs/{id}/report.md", produces = "text/markdown;charset=UTF-8")
    @Refuses(ProblemType.CONFLICT)
    String readExperimentReport(@PathVariable String id, @RequestParam(defaultValue = "false") boolean pictures) {
        ExperimentRun run = runs.done(id);
        Experiment experiment = ExperimentRuns.require(run.experiment());
        return MarkdownReport.of(
                experiment,
                reportOf(run),
                run.facts(),
                number -> pictures ? Optional.of(run.experiment() + "-" + (number + 1) + ".svg") : Optional.empty());
    }

    /** Every sample of every measure, and the run that it is of. */
    @GetMapping(path = "/runs/{id}/samples.csv", produces = "text/csv;charset=UTF-8")
    @Refuses(ProblemType.CONFLICT)
    String readExperimentSamples(@PathVariable String id) {
        ExperimentRun run = runs.done(id);
        return MarkdownReport.samplesAsCsv(reportOf(run), run.origin());
    }

    /**
     * One chart as SVG.
     *
     * @param number from 0
     */
    @GetMapping(path = "/runs/{id}/charts/{number}", produces = "image/svg+xml;charset=UTF-8")
    @Refuses(ProblemType.CONFLICT)
    String readExperimentChart(@PathVariable String id, @PathVariable int number) {
        List<Chart> charts = reportOf(runs.done(id)).charts();
        if (number < 0 || number >= charts.size()) {
            throw ProblemException.notFound("chart", Integer.toString(number));
        }
        return ChartSvg.of(charts, number);
    }

    /** Compares two runs, of one experiment or of two, measure by measure. */
    @GetMapping("/comparison")
    @Refuses({ProblemType.INVALID_REQUEST, ProblemType.NOT_FOUND, ProblemType.CONFLICT})
    ComparisonJson compareExperimentRuns(@RequestParam String first, @RequestParam String second) {
        return runs.compare(first, second);
    }

    private static Report reportOf(ExperimentRun run) {
        return Objects.requireNonNull(run.report());
    }
}
