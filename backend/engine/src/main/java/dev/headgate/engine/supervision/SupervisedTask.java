package dev.headgate.engine.supervision;

import java.util.Optional;

/**
 * The state of a supervised task.
 *
 * @param failures its number of failures since the start
 * @param last the last failure
 */
public record SupervisedTask(String name, long failures, Optional<Failure> last) {}
