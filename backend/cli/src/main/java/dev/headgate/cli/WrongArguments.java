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
                                .map(WrongArguments::name)
                                .orElse(command)
                        + " needs a value";
            default -> String.valueOf(wrong.getMessage());
        };
    }

    private static String unknown(String command, String argument) {
        if (command.equals(ExportCommand.NAME) && !argument.startsWith("-")) {
            return "export takes no '" + argument + "'; the file to write is named with -o";
        }
        return "%s does not know '%s'; './headgate %s --help' lists what it does".formatted(command, argument, command);
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }
}
