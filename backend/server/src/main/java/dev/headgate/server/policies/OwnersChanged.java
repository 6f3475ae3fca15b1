package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Policy sets were given to an owner or released, without a new revision. Published in the transaction that stores it. */
public record OwnersChanged(Instant time, Set<Scope> scopes) {

    static OwnersChanged of(Set<Scope> scopes) {
        return new OwnersChanged(Instant.now(), Set.copyOf(scopes));
    }

    /** Those whose own sets are among them, by name. */
    public List<String> domains() {
        return scopes.stream()
                .filter(scope -> scope.kind() == Scope.Kind.DOMAIN)
                .map(Scope::name)
                .toList();
    }
}
