package dev.headgate.server.rehearsals;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * The predicted effect of a candidate set on the last seconds' load, beside what happened.
 *
 * @param seconds the replayed seconds that count
 * @param load one sentence: the assumption on how the server's times depend on load
 * @param domains every domain of the database; the candidate's comes first
 */
@Schema(name = "Predicted")
record Predicted(int seconds, String load, List<DomainFigures> domains) {

    /** One domain's figures; {@code baseline}, {@code fit} and {@code ceiling} as in a replay's outcome. */
    @Schema(name = "PredictedFigures")
    record DomainFigures(
            String domain,
            ReplayResult.Figures actual,
            ReplayResult.Figures baseline,
            ReplayResult.Figures replayed,
            ModelFit fit,
            ReplayResult.Ceiling ceiling) {}

    static Predicted of(ReplayResult result) {
        return new Predicted(
                result.seconds() - result.settlingSeconds(),
                result.load(),
                result.domains().stream()
                        .map(outcome -> new DomainFigures(
                                outcome.domain(),
                                outcome.actual(),
                                outcome.baseline(),
                                outcome.replayed(),
                                outcome.fit(),
                                outcome.ceiling()))
                        .toList());
    }
}
