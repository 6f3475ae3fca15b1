package dev.headgate.cli;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Applies policy files to the service, or releases policy sets from their files. */
@Command(name = ApplyCommand.NAME, exitCodeOnInvalidInput = 1)
final class ApplyCommand implements Callable<Integer> {

    static final String NAME = "apply";

    private final Surroundings surroundings;

    /** Null without {@code --release}. The first name may follow an equals sign. */
    @Option(names = "--release", arity = "0..*")
    private @Nullable List<String> release;

    /** The id of the reviewed diff; null to apply without one. */
    @Option(names = "--diff", paramLabel = "ID")
    private @Nullable String diff;

    @Spec
    private @Nullable CommandSpec spec;

    @Mixin
    private SourceOptions source = new SourceOptions();

    @Mixin
    private ServiceOptions options;

    ApplyCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        byte[] words = release == null ? apply(service) : release(service, release);
        surroundings.out().writeBytes(words);
        return 0;
    }

    private byte[] apply(Service service) {
        SourceFiles files = SourceFiles.at(source.path(NAME));
        String reviewed = diff == null ? "" : "&diff=" + Service.encoded(SourceOptions.given("--diff", diff));
        return service.postYaml("/files/apply" + source.query(files) + reviewed, files.joined())
                .body();
    }

    private byte[] release(Service service, List<String> first) {
        List<String> names = Stream.concat(first.stream(), source.paths().stream())
                .filter(name -> !name.isEmpty())
                .toList();
        if (names.isEmpty() || source.prune() || diff != null || pathBeforeRelease()) {
            throw CommandFailed.notTried("--release takes names of domains, or database/NAME, and nothing else");
        }
        String query =
                names.stream().map(name -> "name=" + Service.encoded(name)).collect(Collectors.joining("&"));
        return service.post("/files/release?" + query).body();
    }

    /** Refuses files together with {@code --release}: one command cannot do both. */
    private boolean pathBeforeRelease() {
        if (source.paths().isEmpty()) {
            return false;
        }
        List<String> arguments =
                Objects.requireNonNull(spec).commandLine().getParseResult().originalArgs();
        for (String argument : arguments) {
            if (argument.startsWith("--release")) {
                return false;
            }
            if (argument.equals(source.paths().getFirst())) {
                return true;
            }
        }
        return false;
    }
}
