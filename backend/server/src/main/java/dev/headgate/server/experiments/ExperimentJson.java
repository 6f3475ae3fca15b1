package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/**
 * An experiment that can be run.
 *
 * @param question what it asks
 * @param source the publication that asked first
 */
@Schema(name = "Experiment")
record ExperimentJson(String name, String question, String source, List<ParameterJson> parameters) {

    /**
     * A number that a run can be given.
     *
     * @param unit empty without one
     * @param quick its value in the quick form
     * @param full its value in the full form
     * @param least the smallest allowed value
     * @param most the largest allowed value
     * @param whole whether it counts something, so that it has no fraction
     */
    @Schema(name = "ExperimentParameter")
    record ParameterJson(
            String name,
            String description,
            String unit,
            double quick,
            double full,
            double least,
            double most,
            boolean whole) {

        static ParameterJson of(Parameter parameter) {
            return new ParameterJson(
                    parameter.name(),
                    parameter.description(),
                    parameter.unit(),
                    parameter.quick(),
                    parameter.full(),
                    parameter.least(),
                    parameter.most(),
                    parameter.whole());
        }
    }

    static ExperimentJson of(Experiment experiment) {
        return new ExperimentJson(
                experiment.name(),
                experiment.question(),
                experiment.source(),
                experiment.parameters().stream().map(ParameterJson::of).toList());
    }
}
