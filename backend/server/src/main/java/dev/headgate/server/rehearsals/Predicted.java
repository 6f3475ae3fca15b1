package dev.headgate.server.rehearsals;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The predicted effect of a candidate set on the last seconds' load, beside what happened.
 *
 * @param seconds the replayed seconds
 * @param load one sentence: the assumption on how the server's times depend on load
 * @param domains every domain of the database; the candidate's comes first
 */
@Schema(name = "Predicted")
record Predicted(int seconds, String load, List<DomainFigures> domains) {

    /** One domain's figures. */
    @Schema(name = "PredictedFigures")
    record DomainFigures(String domain, ReplayResult.Figures actual, ReplayResult.Figures replayed) {}

    static Predicted of(ReplayResult result) {
        return new Predicted(
                result.seconds(),
                result.load(),
                result.domains().stream()
                        .map(outcome -> new DomainFigures(outcome.domain(), outcome.actual(), outcome.replayed()))
                        .toList());
    }
}
