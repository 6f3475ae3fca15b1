package dev.headgate.wire;

import dev.headgate.wire.auth.ScramVerifier;
import java.util.List;
import java.util.Optional;

/** A directory without a domain: for what happens before one, and for logins to the console. */
record OnlyConsole(Optional<ScramVerifier> verifier) implements Directory {

    /** With nobody. */
    OnlyConsole() {
        this(Optional.empty());
    }

    /** With the user {@link Port#USER}. */
    OnlyConsole(ScramVerifier verifier) {
        this(Optional.of(verifier));
    }

    @Override
    public Optional<Domain> domain(String name) {
        return Optional.empty();
    }

    @Override
    public Optional<ScramVerifier> client(String domain, String user) {
        return user.equals(Port.USER) ? verifier : Optional.empty();
    }

    @Override
    public Operations operations() {
        return new Operations() {
            @Override
            public List<Domain> domains() {
                return List.of();
            }

            @Override
            public int users() {
                return 0;
            }

            @Override
            public void act(Action action, String domain, String user) {}

            @Override
            public String version() {
                return "test";
            }
        };
    }
}
