package dev.headgate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the configuration in force as a policy file. */
@Command(name = ExportCommand.NAME, exitCodeOnInvalidInput = 1)
final class ExportCommand implements Callable<Integer> {

    static final String NAME = "export";

    private final Surroundings surroundings;

    @Option(names = {"-o", "--output"})
    private @Nullable String output;

    @Mixin
    private ServiceOptions options;

    ExportCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        String named = output == null ? null : SourceOptions.given("-o", output);
        byte[] file = options.service().get("/files/export").body();
        if (named == null) {
            surroundings.out().writeBytes(file);
        } else {
            write(file, named);
        }
        return 0;
    }

    /** Writes a temporary file and renames it, so that an error leaves the old file as it was. */
    private static void write(byte[] file, String output) {
        if (Files.isDirectory(Path.of(output))) {
            throw CommandFailed.tried("'" + output + "' cannot be written: it is a folder");
        }
        try {
            Path fresh = Path.of(output + ".new");
            Files.write(fresh, file);
            Files.move(fresh, Path.of(output), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw CommandFailed.tried("'" + output + "' cannot be written");
        }
    }
}
