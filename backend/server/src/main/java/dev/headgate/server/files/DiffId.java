package dev.headgate.server.files;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Identifies a diff by its changes, the source of each, and the revisions that it is based on. Positions in the files do not
 * count, so a comment in a file makes no other diff. Of a password only its place counts.
 */
@Component
final class DiffId {

    private static final int BYTES = 16;

    private final JsonMapper json;

    DiffId(JsonMapper json) {
        this.json = json;
    }

    /** The part of a step that counts. */
    private record Counted(FileChange change, Source source) {
        static Counted of(Step step) {
            return new Counted(step.change().withoutPlace(), step.source());
        }
    }

    /** 32 hexadecimal digits. */
    String of(List<Step> steps) {
        List<Counted> changes = steps.stream().map(Counted::of).toList();
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(json.writeValueAsString(changes).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
