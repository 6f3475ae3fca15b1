package dev.headgate.server.files;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Applies the policy files that the service is started with, after the engine has restored the stored state and before the first
 * request. Faults, and databases that cannot be reached, are logged; the service then continues with the stored state. Never prunes.
 */
@Component
@ConditionalOnProperty(name = "headgate.files")
final class FilesAtStart implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(FilesAtStart.class);

    /** After the demo (100), before the web server. */
    private static final int PHASE = 200;

    private static final Actor FILES = new Actor("files", "system");

    private final Files files;
    private final Access access;
    private final Words words;
    private final Path path;
    private volatile boolean running;

    FilesAtStart(Files files, Access access, JsonMapper json, HeadgateProperties properties) {
        this.files = files;
        this.access = access;
        this.words = new Words(json);
        this.path = java.util.Objects.requireNonNull(properties.files())
                .toAbsolutePath()
                .normalize();
    }

    @Override
    public void start() {
        try {
            List<SourceFile> sources = read(path);
            Terms terms = new Terms(String.valueOf(path.getFileName()), null, false, Origin.START);
            access.actAs(
                    FILES,
                    () -> log.info(
                            "{}",
                            words.answer(files.apply(sources, terms, null, share -> {}))
                                    .strip()));
        } catch (ProblemException e) {
            log.error(
                    "{} was not applied, or not wholly: {}",
                    path,
                    words.problem(e).strip());
        } catch (IOException | UncheckedIOException e) {
            log.error("{} was not applied, it cannot be read: {}", path, e.toString());
        } catch (RuntimeException e) {
            log.error("{} was not applied", path, e);
        }
        running = true;
    }

    /**
     * A file, or the files of a folder in the order of their names, as the command line reads them.
     *
     * @throws ProblemException invalid-files if one is not UTF-8
     */
    static List<SourceFile> read(Path path) throws IOException {
        List<SourceFile> sources = new ArrayList<>();
        if (java.nio.file.Files.isDirectory(path)) {
            try (Stream<Path> inside = java.nio.file.Files.list(path)) {
                for (Path file : inside.filter(
                                file -> file.getFileName().toString().matches("[^.].*\\.ya?ml")
                                        && java.nio.file.Files.isRegularFile(file))
                        .sorted()
                        .toList()) {
                    sources.add(one(file));
                }
            }
        } else {
            sources.add(one(path));
        }
        return sources;
    }

    private static SourceFile one(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        try {
            return new SourceFile(name, java.nio.file.Files.readString(file));
        } catch (CharacterCodingException e) {
            Faults faults = new Faults();
            faults.add(Fault.at("", "is not UTF-8").foundAt(name));
            throw ProblemException.of(ProblemType.INVALID_FILES, faults);
        }
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
