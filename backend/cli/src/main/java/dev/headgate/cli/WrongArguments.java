package dev.headgate.cli;

import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Describes what is wrong with a command's arguments. */
final class WrongArguments {

    private WrongArguments() {}

    static String sentence(ParameterException wrong) {
        String command = wrong.getCommandLine().getCommandName();
        return switch (wrong) {
            case UnmatchedArgumentException unmatched ->
                unknown(command, unmatched.getUnmatched().getFirst());
            case MissingParameterException missing ->
                missing.getMissing().stream()
                        .findFirst()
                        .map(WrongArguments::needs)
                        .orElse(command + " needs a value");
            default -> {
                ArgSpec argument = wrong.getArgSpec();
                yield argument == null
                        ? String.valueOf(wrong.getMessage())
                        : "%s takes %s, was '%s'".formatted(name(argument), kind(argument), wrong.getValue());
            }
        };
    }

    private static String needs(ArgSpec argument) {
        int values = argument.arity().min();
        return name(argument) + " needs " + (values > 1 ? values + " values" : "a value");
    }

    /** Commands take numbers, flags and text; text cannot be wrong. */
    private static String kind(ArgSpec argument) {
        if (argument.typeInfo().isMap()) {
            return "NAME=NUMBER";
        }
        Class<?> type = argument.typeInfo().getType();
        return type == boolean.class ? "no value" : type == Double.class ? "a number" : "a whole number";
    }

    private static String unknown(String command, String argument) {
        if (command.equals(ExportCommand.NAME) && !argument.startsWith("-")) {
            return "export takes no '" + argument + "'; the file to write is named with -o";
        }
        if (command.equals(LabCommand.NAME) && !argument.startsWith("-")) {
            return "lab runs one experiment at a time, and was given '" + argument + "' besides; --all runs every one";
        }
        return "%s does not know '%s'; './headgate %s --help' lists what it does".formatted(command, argument, command);
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
