package dev.headgate.cli;

import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints what applying policy files would change. Ends with 0 without changes, else with 2. */
@Command(name = DiffCommand.NAME, exitCodeOnInvalidInput = 1)
final class DiffCommand implements Callable<Integer> {

    static final String NAME = "diff";

    private static final int CHANGES = 2;

    private final Surroundings surroundings;

    @Mixin
    private SourceOptions source = new SourceOptions();

    @Mixin
    private ServiceOptions options;

    DiffCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        SourceFiles files = SourceFiles.at(source.path(NAME));
        HttpResponse<byte[]> answer = service.postYaml("/files/diff" + source.query(files), files.joined());
        surroundings.out().writeBytes(answer.body());
        boolean same =
                answer.headers().firstValue("Headgate-Changes").orElse("").equals("0");
        return same ? 0 : CHANGES;
    }
}
