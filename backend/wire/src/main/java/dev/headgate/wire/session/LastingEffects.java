package dev.headgate.wire.session;

import dev.headgate.protocol.Effects;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.SettingsText;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the client's statements do beyond their transaction: they set settings, drop prepared statements, or leave state that
 * belongs to a connection. Replaces the texts that would harm other clients. Prepares the connection for an effect before the
 * statement is sent, and records it for the client when the server has executed the statement. Remembers which portals have
 * effects, and the effects of prepared statements where {@link ClientStatements} does not know them.
 */
final class LastingEffects {

    /** Of an entry of a map, without its texts. */
    private static final int ENTRY = 64;

    private final Session session;
    private final ClientStatements statements;

    /**
     * The effects of executing a prepared statement, by the name it has on the server; only statements that have any, and only where a
     * session keeps its connection. Of all others the statement itself knows.
     */
    private final Map<String, Effects> prepared = new HashMap<>(0);

    /** The same for portals. */
    private final Map<String, Effects> bound = new HashMap<>(0);

    /** About how many bytes both take. */
    private long notedBytes;

    LastingEffects(Session session, ClientStatements statements) {
        this.session = session;
        this.statements = statements;
    }

    // ---- of which statement

    /** The session keeps its connection and has prepared a statement under this name. */
    void prepared(String name, Effects effects) throws ProtocolException {
        note(prepared, name, effects);
    }

    /** The session keeps its connection and has closed the statement of this name. */
    void closed(String name) throws ProtocolException {
        note(prepared, name, Effects.NONE);
    }

    /** Whether any prepared statement of a session that keeps its connection has effects. */
    boolean hasPrepared() {
        return !prepared.isEmpty();
    }

    /** The effects of a statement that a session has prepared on the connection that it keeps. */
    Effects ofPrepared(String name) {
        return prepared.getOrDefault(name, Effects.NONE);
    }

    /** A portal is bound to a statement with these effects. */
    void bound(String portal, Effects effects) throws ProtocolException {
        note(bound, portal, effects);
    }

    /** Whether any portal has effects. */
    boolean hasBound() {
        return !bound.isEmpty();
    }

    /** The effects of executing a portal; null if it has none. */
    @Nullable
    Effects ofBound(String portal) {
        return bound.get(portal);
    }

    /** The transaction has ended, which closes its portals. */
    void transactionEnded() {
        forget(bound);
    }

    /** The server has answered a round: what it has set is known. */
    void settled() {
        session.holdings.settleSettings(session.settings.size() + notedBytes);
    }

    private void note(Map<String, Effects> of, String name, Effects effects) throws ProtocolException {
        Effects before = null;
        if (!effects.isNothing()) {
            before = of.put(name, effects);
            notedBytes += sizeOf(name, effects);
        } else if (!of.isEmpty()) {
            before = of.remove(name);
        }
        if (before != null) {
            notedBytes -= sizeOf(name, before);
        }
        holdSettings(effects);
    }

    private static long sizeOf(String name, Effects effects) {
        return ENTRY + name.length() + effects.size();
    }

    private void forget(Map<String, Effects> of) {
        of.forEach((name, effects) -> notedBytes -= sizeOf(name, effects));
        of.clear();
    }

    /** Nothing has to be counted that sets nothing. */
    private void holdSettings(Effects more) throws ProtocolException {
        if (more.size() > 0 || notedBytes > Holdings.FREE) {
            session.holdings.holdSettings(session.settings.size() + notedBytes);
        }
    }

    // ---- before the statement is sent

    /** A setting in another encoding than UTF-8 cannot be repeated elsewhere as it was written, so it pins the client. */
    Effects carried(Effects effects, Link to) {
        boolean repeatable = to.isUtf8() || effects.settings().values().stream().allMatch(SettingsText::isAscii);
        return repeatable ? effects : effects.pinning("SET in another encoding than UTF-8");
    }

    /** Prepares the connection for effects that a statement is about to have there. */
    void expect(Effects effects, Link to) throws ProtocolException {
        if (refuses(effects)) {
            session.tenure.noteUnclean(true);
        } else {
            if (effects.deallocates() && !verbatim()) {
                statements.closeAlone(to);
            }
            if (session.settings.exceed(Rules.SETTINGS, effects)) {
                throw Holdings.tooManySettings();
            }
            session.settings.sent(effects, to, !session.tenure.isBound());
            holdSettings(effects);
            effects.pinnedBy().ifPresent(session.tenure::pin);
            session.tenure.noteUnclean(effects.runsCode());
        }
    }

    /**
     * The response to a statement: its effects are recorded once it is executed.
     *
     * @param replaced whether another text is executed instead, so that the client expects another command tag
     */
    Owed executing(Effects effects, Link to, boolean replaced) {
        long parsed = statements.parsed();
        return Owed.executing(Sent.EXECUTE, () -> executed(effects, to, parsed), replaced ? tag(effects) : null);
    }

    /**
     * The same for a simple query: the effects of each of its statements are recorded once that is executed. One of them may end the
     * transaction of those before it.
     *
     * @param sql gives what the client sent, of a long text its beginning
     */
    Owed querying(Effects effects, Supplier<String> sql, Link to, boolean replaced) {
        Iterator<Effects> each = effects.statements() == 1
                ? List.of(effects).iterator()
                : Effects.ofEach(sql.get()).iterator();
        long parsed = statements.parsed();
        return Owed.executing(
                Sent.QUERY,
                () -> {
                    if (each.hasNext()) {
                        executed(each.next(), to, parsed);
                    }
                },
                replaced ? tag(effects) : null);
    }

    /**
     * The replacement for a text that would harm other clients: one that drops shared statements, or pins a connection
     * where the domain refuses that. The server answers the replacement in turn, and a refusal aborts the client's
     * transaction like any error. Null for all other texts.
     *
     * @param sql gives the text
     */
    @Nullable
    String instead(Effects effects, Supplier<String> sql) {
        if (refuses(effects)) {
            return refusal(effects);
        }
        return dropsShared(effects)
                ? Effects.replaced(sql.get(), one -> deallocation(one, effects.statements() == 1))
                : null;
    }

    /** A text that fails and says what is refused. */
    static String refusal(Effects effects) {
        return """
                DO $headgate$BEGIN RAISE EXCEPTION USING ERRCODE = '0A000',
                MESSAGE = '%s is refused: it belongs to a connection, and this domain shares its connections by transactions',
                HINT = 'Use a domain in session mode for it, or one that keeps such clients on their connection.'; END$headgate$""".formatted(effects.pinnedBy().orElseThrow());
    }

    /** Whether a text would drop statements that other clients use, too. */
    boolean dropsShared(Effects effects) {
        return !verbatim() && (effects.deallocates() || !effects.deallocated().isEmpty());
    }

    /**
     * A command with the same visible effect as dropping all statements, which drops no shared one. After DISCARD ALL a client is not
     * pinned any more, and the connection is reset.
     */
    private Optional<String> deallocation(Effects one, boolean alone) {
        if (one.resetsAll()) {
            boolean possible = alone && !session.tenure.isWithinTransaction(); // else the server refuses it
            return possible ? Optional.of("DISCARD TEMP") : Optional.empty();
        }
        if (one.deallocates()) {
            return Optional.of(session.tenure.isBound() ? Link.DROP_PREPARED : "DISCARD PLANS");
        }
        return one.deallocated().stream().findAny().flatMap(name -> {
            if (statements.has(name)) {
                return Optional.of("DISCARD PLANS");
            }
            return Link.isOurs(name) ? Optional.of("DEALLOCATE \"" + Link.nobodys(name) + '"') : Optional.empty();
        });
    }

    /** The command tag for a replaced statement; null to forward the server's tag. */
    private @Nullable String tag(Effects effects) {
        if (refuses(effects) || effects.statements() > 1) {
            return null;
        }
        return effects.resetsAll() ? "DISCARD ALL" : effects.deallocates() ? "DEALLOCATE ALL" : "DEALLOCATE";
    }

    // ---- when it is executed

    /**
     * A statement was executed: records its effects for the client; settings count once the transaction ends.
     *
     * @param parsed how many statements the client had prepared when it sent it
     */
    private void executed(Effects effects, Link to, long parsed) {
        if (refuses(effects)) {
            return;
        }
        if (effects.deallocates()) {
            statements.dropNamed(parsed);
            if (verbatim()) {
                forget(prepared);
                to.wasDiscarded();
            } else if (effects.discardsAll()) {
                session.tenure.unpin();
            }
        }
        effects.deallocated().forEach(statements::drop);
        session.settings.executed(effects);
    }

    /** Whether it belongs to a connection, and the domain wants that to fail. */
    boolean refuses(Effects effects) {
        return effects.pinnedBy().isPresent() && session.rules.refusesState() && !session.rules.keepsConnection();
    }

    /** Whether statements are forwarded unchanged. */
    private boolean verbatim() {
        return session.rules.keepsConnection();
    }
}
