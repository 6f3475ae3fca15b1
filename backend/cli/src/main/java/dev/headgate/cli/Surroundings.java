package dev.headgate.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The environment of a command.
 *
 * @param environment the variables of the process
 * @param checkout the folder of {@code ./headgate}, below which the default data folder is
 * @param out takes the command's result, and nothing else
 * @param err takes what went wrong
 */
public record Surroundings(Map<String, String> environment, Path checkout, PrintStream out, PrintStream err) {

    /** Returns a variable's value. An empty variable counts as not set, as in a shell's {@code ${NAME:-}}. */
    Optional<String> variable(String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
