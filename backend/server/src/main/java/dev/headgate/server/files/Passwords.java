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

/** Finds the passwords that policy files name: in the environment of this process, or in a file that it can read. */
@Component
final class Passwords {

    static final String NAMES = "^[A-Za-z_][A-Za-z0-9_]*$";
    private static final int LONGEST = 1000;
    private static final String OWN = "HEADGATE_";

    private final Function<String, @Nullable String> environment;
    private final Path data;

    @Autowired
    Passwords(HeadgateProperties properties) {
        this(System::getenv, properties.data());
    }

    /** @param data the data folder: nothing in it is a database's password */
    Passwords(Function<String, @Nullable String> environment, Path data) {
        this.environment = environment;
        this.data = data;
    }

    /** Why there is no password; the message is the rest of a sentence that begins with the field. */
    static final class NotFoundException extends Exception {
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

    String fromEnvironment(String name) throws NotFoundException {
        if (!name.matches(NAMES)) {
            throw new NotFoundException("cannot be '" + name + "'", "the name of an environment variable");
        }
        if (name.startsWith(OWN)) {
            throw new NotFoundException(
                    "cannot be " + name + ": " + OWN + "* are Headgate's own settings", "another variable");
        }
        String value = environment.apply(name);
        if (value == null || value.isEmpty()) {
            throw new NotFoundException(
                    "names " + name + ", which is not set where Headgate runs",
                    "a variable of the service's environment");
        }
        return bounded(value);
    }

    String fromFile(String name) throws NotFoundException {
        String allowed = "an absolute path, outside of the data folder, of a file that the service can read";
        try {
            Path path = Path.of(name);
            if (!path.isAbsolute()) {
                throw new NotFoundException("cannot be '" + name + "'", allowed);
            }
            Path real = path.toRealPath();
            if (real.startsWith(data.toRealPath())) {
                throw new NotFoundException("cannot be in the data folder, was " + name, allowed);
            }
            if (!Files.isRegularFile(real)) {
                throw new NotFoundException("names " + name + ", which is not a file", allowed);
            }
            try (InputStream in = Files.newInputStream(real)) {
                String text = new String(in.readNBytes(4 * LONGEST + 2), StandardCharsets.UTF_8);
                String password = text.replaceFirst("\\r?\\n$", "");
                if (password.isEmpty() || password.lines().count() > 1) {
                    throw new NotFoundException("names " + name + ", which is not one line", "a file with one line");
                }
                return bounded(password);
            }
        } catch (IOException | InvalidPathException e) {
            throw new NotFoundException("names " + name + ", which cannot be read", allowed);
        }
    }

    private static String bounded(String password) throws NotFoundException {
        if (password.length() > LONGEST) {
            throw new NotFoundException("gives a password that is too long", "at most " + LONGEST + " characters");
        }
        return password;
    }
}
