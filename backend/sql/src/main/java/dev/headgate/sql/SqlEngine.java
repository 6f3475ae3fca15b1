package dev.headgate.sql;

import dev.headgate.protocol.SettingsText;
import dev.headgate.wire.Directory;
import dev.headgate.wire.RelayLoop;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.UnnamedStatements;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Opens sessions for programs in this process on the pools of domains. Safe for any number of threads. */
public final class SqlEngine {

    /** How long a server may take for Headgate's own commands. */
    private static final Duration SERVER_TIMEOUT = Duration.ofSeconds(10);

    /** Less than for a client with a socket: behind it stand further buffers on the way to the caller. */
    private static final int ROOM = 16 * 1024;

    private static final String APPLICATION = "application_name";

    private final RelayLoops loops;
    private final boolean alwaysReset;
    private final SecureRandom random = new SecureRandom();

    /** @param alwaysReset whether a connection is reset after every lease, not only after a known change */
    public SqlEngine(RelayLoops loops, boolean alwaysReset) {
        this.loops = loops;
        this.alwaysReset = alwaysReset;
    }

    /**
     * Opens a session. It takes no connection before its first statement. Does not block.
     *
     * @throws IllegalArgumentException if a setting's name cannot be one
     */
    public SqlSession open(Directory.Domain domain, Caller caller) {
        RelayLoop home = loops.next();
        Map<String, String> startup = new HashMap<>(caller.settings());
        startup.putIfAbsent(APPLICATION, "headgate-sql");
        Map<String, String> settings = SettingsText.of(startup);
        Session.Client who = new Session.Client(
                loops.nextId(), random.nextInt(), startup.get(APPLICATION), application -> caller.holder());
        return new SqlSession(home, domain.pool(), who, rules(domain, caller), settings, caller);
    }

    private Rules rules(Directory.Domain domain, Caller caller) {
        return new Rules(
                false,
                false,
                domain.sessionState() == SessionState.REFUSE,
                domain.unnamedStatements() == UnnamedStatements.AUTO,
                alwaysReset,
                false,
                Duration.ZERO,
                caller.silence(),
                SERVER_TIMEOUT,
                ROOM,
                Rules.OWED,
                Rules.STATEMENTS);
    }
}
