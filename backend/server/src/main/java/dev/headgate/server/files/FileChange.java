package dev.headgate.server.files;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.headgate.server.api.Scope;
import dev.headgate.server.policies.ManagedSets.InForce;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A planned or completed change of one database or domain.
 *
 * @param basedOn the revision of its policy set in force; null if there is none yet
 * @param at its place in the files ("pools/bank.yaml:12"); null if they omit it
 * @param differences by leaf; without passwords
 */
@Schema(name = "FileChange")
record FileChange(
        @Schema(allowableValues = {"create", "change", "delete"})
        String action,

        @Schema(allowableValues = {"database", "domain"}) String kind,

        String name,
        @Nullable Long basedOn,
        @Nullable String at,
        List<FileDifference> differences) {

    /**
     * One difference.
     *
     * @param pointer into the database or domain as the files write it; {@code /managedBy} is the owner of its policy set, {@code
     * /source} the source that is declared for an owner of the same name
     * @param from null if it is added
     * @param to null if it is removed
     */
    @Schema(name = "FileDifference")
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record FileDifference(
            String pointer, @Nullable Object from, @Nullable Object to) {}

    /** @param before the current state; null if there is none yet */
    static FileChange of(
            String action,
            Scope scope,
            @Nullable String at,
            @Nullable InForce before,
            List<FileDifference> differences) {
        return new FileChange(
                action,
                scope.kind().label(),
                scope.name(),
                before == null ? null : (Long) before.revision(),
                at,
                List.copyOf(differences));
    }

    FileChange withoutPlace() {
        return new FileChange(action, kind, name, basedOn, null, differences);
    }

    /** As in a sentence: "domain bank". */
    String subject() {
        return kind + " " + name;
    }
}
