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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The program that {@code ./headgate} starts: parses the arguments, runs the command and returns its exit code. */
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
     * @return its exit code: 0 done, 1 tried and failed, 2 could not be tried; for diff, apply and export every failure is 1,
     *     because diff ends with 2 when there are changes
     */
    public static int run(Surroundings surroundings, String... arguments) {
        if (arguments.length == 0) {
            surroundings.err().println("headgate: a command is needed; './headgate help' lists them");
            return 2;
        }
        Callable<Integer> command = commandOfTwoWords(surroundings, arguments);
        int words = command == null ? 1 : 2;
        if (command == null) {
            command = commandOfOneWord(surroundings, arguments[0]);
        }
        if (command == null) {
            surroundings.err().println("headgate: there is no command '" + arguments[0] + "' here");
            return 2;
        }
        return line(surroundings, command).execute(Arrays.copyOfRange(arguments, words, arguments.length));
    }

    private static @Nullable Callable<Integer> commandOfTwoWords(Surroundings surroundings, String... arguments) {
        String name = arguments.length < 2 ? "" : arguments[0] + " " + arguments[1];
        return switch (name) {
            case LoadCommand.NAME -> new LoadCommand(surroundings);
            case SizeCommand.NAME -> new SizeCommand(surroundings);
            default -> null;
        };
    }

    private static @Nullable Callable<Integer> commandOfOneWord(Surroundings surroundings, String name) {
        return switch (name) {
            case DiffCommand.NAME -> new DiffCommand(surroundings);
            case ApplyCommand.NAME -> new ApplyCommand(surroundings);
            case ExportCommand.NAME -> new ExportCommand(surroundings);
            case LoginCommand.NAME -> new LoginCommand(surroundings);
            case StatusCommand.NAME -> new StatusCommand(surroundings);
            case LabCommand.NAME -> new LabCommand(surroundings);
            case PolicyCommand.NAME -> new PolicyCommand(surroundings);
            default -> null;
        };
    }

    /** Builds only the command that is wanted. Building all of them would double a command's time. */
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
        // Also printed by ./headgate COMMAND --help.
        line.getHelpSectionMap().put("page", help -> page(line.getCommandName()));
        return line;
    }

    private static int exitCodeOfWrongInput(CommandLine command) {
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String page(String command) {
        return resource(
                switch (command) {
                    case LoginCommand.NAME,
                            StatusCommand.NAME,
                            PolicyCommand.NAME,
                            LabCommand.NAME,
                            LoadCommand.NAME,
                            SizeCommand.NAME -> command.replace(' ', '-') + ".txt";
                    default -> "files.txt";
                });
    }

    /** Reads a text resource of this package. */
    static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Headgate.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
