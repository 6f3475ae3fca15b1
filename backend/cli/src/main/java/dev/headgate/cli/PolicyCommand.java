package dev.headgate.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Writes the project of a new policy. {@code ./headgate} adds the libraries for its build afterwards. */
@Command(name = PolicyCommand.NAME, exitCodeOnInvalidInput = 2)
final class PolicyCommand implements Callable<Integer> {

    static final String NAME = "policy";

    private final Surroundings surroundings;

    @Parameters(arity = "0..*")
    private List<String> words = new ArrayList<>();

    PolicyCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        if (words.size() < 2 || words.size() > 3 || !words.getFirst().equals("new")) {
            throw CommandFailed.notTried("policy takes: new NAME [FOLDER]; './headgate policy --help' says more");
        }
        PolicyProject project = new PolicyProject(words.get(1));
        Path folder = Path.of(SourceOptions.given("FOLDER", words.getLast())); // without one, the name is the folder
        project.writeTo(folder);
        surroundings.out().println("Wrote the policy " + project.name() + " to " + folder);
        return 0;
    }
}
