package dev.headgate.server.files;

import dev.headgate.server.HeadgateProperties;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Finds the passwords that policy files name: in the environment of this process, or in a file that it can read. Files of a request
 * may name only what {@code headgate.secrets} allows. Otherwise a caller could have any file or variable of the service sent to a
 * server of the caller's choice.
 */
@Component
final class Passwords {

    static final String NAMES = "^[A-Za-z_][A-Za-z0-9_]*$";
    private static final int LONGEST = 1000;
    private static final String OWN = "HEADGATE_";

    private final Function<String, @Nullable String> environment;
    private final Path data;
    private final HeadgateProperties.Secrets allowed;

    @Autowired
    Passwords(HeadgateProperties properties) {
        this(System::getenv, properties.data(), properties.secrets());
    }

    /**
     * @param data the data folder: nothing in it is a database's password
     * @param allowed what files of a request may name
     */
    Passwords(Function<String, @Nullable String> environment, Path data, HeadgateProperties.Secrets allowed) {
        this.environment = environment;
        this.data = data;
        this.allowed = allowed;
    }

    /** There is no password. The message continues a sentence that begins with the field. */
    static class NotFoundException extends Exception {
        private static final long serialVersionUID = 1;
        private final String allowed;

        NotFoundException(String message, String allowed) {
            super(message);
            this.allowed = allowed;
        }

        String allowed() {
            return allowed;
        }
    }

    /** Files may not name this, whether it exists or not: those of a request, or none. */
    static final class ForbiddenException extends NotFoundException {
        private static final long serialVersionUID = 1;

        ForbiddenException(String message, String allowed) {
            super(message, allowed);
        }
    }

    String fromEnvironment(String name, Origin origin) throws NotFoundException {
        if (!name.matches(NAMES)) {
            throw new NotFoundException("cannot be '" + name + "'", "the name of an environment variable");
        }
        if (name.startsWith(OWN)) {
            throw new ForbiddenException(
                    "cannot be " + name + ": " + OWN + "* are Headgate's own settings", "another variable");
        }
        String prefix = allowed.envPrefix();
        if (origin == Origin.API && (prefix.isEmpty() || !name.startsWith(prefix))) {
            throw new ForbiddenException(
                    "cannot be " + name + " in files that are sent to the API",
                    prefix.isEmpty()
                            ? "no variable, until the operator sets headgate.secrets.env-prefix"
                            : prefix + "* (headgate.secrets.env-prefix)");
        }
        String value = environment.apply(name);
        if (value == null || value.isEmpty()) {
            throw new NotFoundException(
                    "names " + name + ", which is not set where Headgate runs",
                    "a variable of the service's environment");
        }
        return bounded(value);
    }

    String fromFile(String name, Origin origin) throws NotFoundException {
        String shape = "an absolute path, outside of the data folder, of a file that the service can read";
        try {
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                throw new NotFoundException("cannot be '" + name + "'", shape);
            }
            if (origin == Origin.API) {
                checkInFolder(path);
            }
            Path real = path.toRealPath();
            if (real.startsWith(data.toRealPath())) {
                throw new ForbiddenException("cannot be in the data folder, was " + name, shape);
            }
            if (!Files.isRegularFile(real)) {
                throw new NotFoundException("names " + name + ", which is not a file", shape);
            }
            try (InputStream in = Files.newInputStream(real)) {
                String text = new String(in.readNBytes(4 * LONGEST + 2), StandardCharsets.UTF_8);
                String password = text.replaceFirst("\\r?\\n$", "");
                if (password.isEmpty() || password.indexOf('\n') >= 0 || password.indexOf('\r') >= 0) {
                    throw new NotFoundException("names " + name + ", which is not one line", "a file with one line");
                }
                return bounded(password);
            }
        } catch (IOException | InvalidPathException e) {
            throw new NotFoundException("names " + name + ", which cannot be read", shape);
        }
    }

    /** Checks that neither the name nor a link leaves the folder. Never accesses a path outside. */
    private void checkInFolder(Path path) throws ForbiddenException, IOException {
        Path folder = allowed.folder();
        if (folder == null || folder.toString().isEmpty()) {
            throw new ForbiddenException(
                    "cannot be " + path + " in files that are sent to the API",
                    "no file, until the operator sets headgate.secrets.folder");
        }
        Path inside = folder.toAbsolutePath().normalize();
        if (!path.normalize().startsWith(inside) || !path.toRealPath().startsWith(inside.toRealPath())) {
            throw new ForbiddenException(
                    "cannot be " + path + " in files that are sent to the API",
                    "a file in " + inside + " (headgate.secrets.folder)");
        }
    }

    private static String bounded(String password) throws NotFoundException {
        if (password.length() > LONGEST) {
            throw new NotFoundException("gives a password that is too long", "at most " + LONGEST + " characters");
        }
        return password;
    }
}
