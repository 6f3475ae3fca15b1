package dev.headgate.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Where {@code ./headgate} hands over: reads a command's arguments, runs it, and turns how it ended into an exit code. */
public final class Headgate {

    private Headgate() {}

    @SuppressWarnings("SystemOut") // standard output is what a command is run for
    public static void main(String[] arguments) {
        Path checkout = Path.of(System.getProperty("headgate.checkout", ""));
        int code = run(new Surroundings(System.getenv(), checkout, System.out, System.err), arguments);
        System.out.flush();
        System.exit(code);
    }

    /**
     * Runs one command in this process, on the caller's thread.
     *
     * @return its exit code: 0 done, 1 tried and failed, 2 could not be tried; of diff, apply and export any failure is 1,
     *     since 2 is what diff says when there are changes
     */
    public static int run(Surroundings surroundings, String... arguments) {
        if (arguments.length == 0) {
            surroundings.err().println("headgate: a command is needed; './headgate help' lists them");
            return 2;
        }
        Callable<Integer> command = switch (arguments[0]) {
            case DiffCommand.NAME -> new DiffCommand(surroundings);
            case ApplyCommand.NAME -> new ApplyCommand(surroundings);
            case ExportCommand.NAME -> new ExportCommand(surroundings);
            case LoginCommand.NAME -> new LoginCommand(surroundings);
            case StatusCommand.NAME -> new StatusCommand(surroundings);
            case PolicyCommand.NAME -> new PolicyCommand(surroundings);
            default -> null;
        };
        if (command == null) {
            surroundings.err().println("headgate: there is no command '" + arguments[0] + "' here");
            return 2;
        }
        return line(surroundings, command).execute(Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    /** Of the one command that is wanted: to look at all of them would cost as much again as the command itself. */
    private static CommandLine line(Surroundings surroundings, Callable<Integer> command) {
        CommandLine line = new CommandLine(command)
                .setOverwrittenOptionsAllowed(true) // the last one wins
                .setExpandAtFiles(false)
                .setOut(new PrintWriter(surroundings.out(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler((wrong, all) -> {
                    surroundings.err().println("headgate: " + WrongArguments.sentence(wrong));
                    return exitCodeOfWrongInput(wrong.getCommandLine());
                })
                .setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (!(failure instanceof CommandFailed known)) {
                        throw failure;
                    }
                    surroundings.err().println(known.getMessage());
                    return known.kind() == CommandFailed.Kind.TRIED ? 1 : exitCodeOfWrongInput(failed);
                })
                .setHelpSectionKeys(List.of("page"));
        line.getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
        // The page that ./headgate COMMAND --help prints, too.
        line.getHelpSectionMap().put("page", help -> page(line.getCommandName()));
        return line;
    }

    private static int exitCodeOfWrongInput(CommandLine command) {
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String page(String command) {
        return resource(
                switch (command) {
                    case LoginCommand.NAME, StatusCommand.NAME, PolicyCommand.NAME -> command + ".txt";
                    default -> "files.txt";
                });
    }

    /** A text that lies beside this class. */
    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Headgate.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
