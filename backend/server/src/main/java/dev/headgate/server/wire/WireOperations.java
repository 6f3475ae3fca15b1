package dev.headgate.server.wire;

import dev.headgate.server.Version;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.wire.Directory;
import dev.headgate.wire.Operations;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The actions of the wire port's console: those of REST, through the same services and with the same audit. */
final class WireOperations implements Operations {

    private static final Map<Action, Domains.Action> ACTIONS = Map.of(
            Action.PAUSE, Domains.Action.PAUSE,
            Action.RESUME, Domains.Action.RESUME,
            Action.RECONNECT, Domains.Action.FLUSH);

    private final Supplier<List<Directory.Domain>> served;
    private final IntSupplier users;
    private final Domains domains;
    private final Access access;

    WireOperations(Supplier<List<Directory.Domain>> served, IntSupplier users, Domains domains, Access access) {
        this.served = served;
        this.users = users;
        this.domains = domains;
        this.access = access;
    }

    @Override
    public List<Directory.Domain> domains() {
        return served.get();
    }

    @Override
    public int users() {
        return users.getAsInt();
    }

    @Override
    public void act(Action action, String domain, String user) {
        try {
            access.actAs(
                    new Actor(user, Actor.ADMIN.role()),
                    () -> domains.act(domain, Objects.requireNonNull(ACTIONS.get(action))));
        } catch (ProblemException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public String version() {
        return Version.current();
    }
}
