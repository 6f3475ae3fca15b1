package dev.headgate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the service's address and token, shared by all commands that talk to a service. */
final class ServiceOptions {

    private static final String DEFAULT_URL = "http://127.0.0.1:8080";

    private static final Pattern TOKEN = Pattern.compile("[!-~]+");

    private final Surroundings surroundings;

    @Option(names = "--url")
    private @Nullable String url;

    @Option(names = "--token-file")
    private @Nullable Path tokenFile;

    @Option(names = "--data")
    private @Nullable Path data;

    ServiceOptions(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * Returns the service that the options name. Sends nothing yet.
     *
     * @throws CommandFailed if there is no token
     */
    Service service() {
        String address =
                url != null ? url : surroundings.variable("HEADGATE_URL").orElse(DEFAULT_URL);
        return new Service(address, token());
    }

    private String token() {
        if (tokenFile != null) {
            return tokenIn(tokenFile, "--token-file: '" + tokenFile + "' cannot be read");
        }
        return surroundings
                .variable("HEADGATE_TOKEN")
                .map(token -> checked(token, "HEADGATE_TOKEN"))
                .orElseGet(() -> {
                    Path kept =
                            (data != null ? data : surroundings.checkout().resolve(".headgate")).resolve("admin-token");
                    return tokenIn(
                            kept,
                            "no token: set HEADGATE_TOKEN, or name a file with --token-file; '" + kept
                                    + "' cannot be read");
                });
    }

    private static String tokenIn(Path file, String otherwise) {
        try {
            return checked(Files.readString(file).strip(), "'" + file + "'");
        } catch (IOException e) {
            throw CommandFailed.notTried(otherwise);
        }
    }

    /** Refuses what cannot be a token, such as a whole file of settings, before anything quotes it. */
    private static String checked(String token, String source) {
        if (!TOKEN.matcher(token).matches()) {
            throw CommandFailed.notTried(source + " holds no token: a token is one word of visible ASCII characters");
        }
        return token;
    }
}
