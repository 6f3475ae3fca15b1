package dev.headgate.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The arguments of diff and apply: the files and the options for them. */
final class SourceOptions {

    @Parameters(paramLabel = "PATH", arity = "0..*")
    private List<String> paths = new ArrayList<>();

    @Option(names = "--source")
    private @Nullable String source;

    @Option(names = "--prune")
    private boolean prune;

    /** The arguments that are not options, in order. */
    List<String> paths() {
        return paths;
    }

    boolean prune() {
        return prune;
    }

    /**
     * Returns the single path argument.
     *
     * @param command for the message
     * @throws CommandFailed if there is none, or more than one, or if it is empty
     */
    Path path(String command) {
        if (paths.isEmpty()) {
            throw CommandFailed.notTried(
                    command + " needs a file or a folder; './headgate " + command + " --help' says more");
        }
        if (paths.size() > 1) {
            throw CommandFailed.notTried("%s takes one file or folder, was given '%s' and '%s'"
                    .formatted(command, paths.get(0), paths.get(1)));
        }
        return Path.of(given("the file or folder", paths.getFirst()));
    }

    /**
     * A value that was given. An empty one is a variable of a script that is not set, and would be the working folder, or no source.
     *
     * @throws CommandFailed if it is empty
     */
    static String given(String what, String value) {
        if (value.isEmpty()) {
            throw CommandFailed.notTried(what + " cannot be empty");
        }
        return value;
    }

    /** The query string for a request with these files. */
    String query(SourceFiles files) {
        String declared = source == null ? "" : "&source=" + Service.encoded(given("--source", source));
        return "?prune=" + prune + "&name=" + Service.encoded(files.name()) + declared;
    }
}
