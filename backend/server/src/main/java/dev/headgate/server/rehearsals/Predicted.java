package dev.headgate.server.rehearsals;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * What a candidate set would have done with the last seconds' load, beside what happened.
 *
 * @param seconds of the past that were replayed
 * @param load one sentence: how the server's times were taken to depend on load
 * @param domains every domain of the database; the one that the candidate is for comes first
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
