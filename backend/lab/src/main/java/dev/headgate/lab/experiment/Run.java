package dev.headgate.lab.experiment;

import dev.headgate.engine.supervision.SupervisedTask;
import dev.headgate.engine.supervision.Supervisor;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * What one run of an experiment is given. The experiment reports its progress often, because a cancelled run ends at the next report,
 * and so does one of which a thread has failed.
 *
 * @param values of every parameter of the experiment, by name
 * @param seed of everything random
 * @param supervisor of this run's threads alone: engines run under it, and everything else that nobody waits for
 */
public record Run(
        Laboratory laboratory, Map<String, Double> values, long seed, Supervisor supervisor, Progress progress) {

    /** Is told how far a run is. */
    @FunctionalInterface
    public interface Progress {
        /**
         * @param share 0 to 1
         * @param doing what is measured now, for people: "8 connections, 3 of 5"
         */
        void at(double share, String doing);
    }

    public Run {
        values = Map.copyOf(values);
    }

    /** @throws IllegalArgumentException if the experiment has no such parameter */
    public double value(String parameter) {
        Double value = values.get(parameter);
        if (value == null) {
            throw new IllegalArgumentException("there is no parameter " + parameter);
        }
        return value;
    }

    /** A parameter that counts something. */
    public int count(String parameter) {
        return (int) value(parameter);
    }

    /**
     * Runs an experiment, as {@link Experiment#run} does.
     *
     * @throws IllegalStateException if a thread under the supervisor failed, because what was measured beside it is no result
     */
    public Report measure(Experiment experiment) throws Exception {
        Report report = experiment.run(this);
        requireSound();
        return report;
    }

    private void requireSound() {
        supervisor.tasks().stream()
                .map(SupervisedTask::last)
                .flatMap(Optional::stream)
                .findFirst()
                .ifPresent(failure -> {
                    throw new IllegalStateException(
                            "the thread %s of the run failed: %s".formatted(failure.task(), failure.cause()),
                            failure.cause());
                });
    }

    /**
     * Tells how far the run is.
     *
     * @throws CancellationException if it was cancelled
     * @throws IllegalStateException if a thread under the supervisor has failed
     */
    public void at(double share, String doing) {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the run was cancelled");
        }
        requireSound();
        progress.at(Math.clamp(share, 0, 1), Objects.requireNonNull(doing));
    }
}
