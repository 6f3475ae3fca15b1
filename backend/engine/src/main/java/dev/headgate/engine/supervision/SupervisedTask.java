package dev.headgate.engine.supervision;

import java.util.Optional;

/**
 * How a supervised task is doing.
 *
 * @param failures since the start
 * @param last the latest of them
 */
public record SupervisedTask(String name, long failures, Optional<Failure> last) {}
