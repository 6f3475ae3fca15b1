package dev.headgate.wire.session;

import dev.headgate.protocol.Columns;
import dev.headgate.protocol.Effects;
import dev.headgate.protocol.LongBytes;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.Pipeline.Sent;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.Statement;
import dev.headgate.protocol.StatementCache;
import dev.headgate.protocol.StatementCatalog;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The prepared statements of one client, by the client's names, and the name under which each is prepared on the current
 * connection. Statements are shared: two clients with the same text, types and settings use the same one
 * ({@link dev.headgate.protocol.StatementCache}), so the server does not know the client's names.
 *
 * <h2>Unnamed statements</h2>
 *
 * Most drivers send an unnamed Parse with every query, and parsing and planning are half of a short query's cost. Such
 * a text is kept prepared as if it had a name: if the connection knows it, its Parse is answered here. The client must not
 * see a difference. So a text is forwarded unchanged if its meaning depends on the current time (a literal such as
 * {@code 'now'}), while the session's settings are unknown, if the domain says so, and if measurements show that this is
 * faster ({@link dev.headgate.protocol.PlanChoice}); and during the first lease of a connection in which it comes ({@link MetTexts}).
 * What was prepared over a minute ago is prepared anew at the next Parse: the types of its parameters are of that time.
 */
final class ClientStatements {

    /** A client's statement, and the round of messages in which it was first used. */
    private static final class Own {
        private static final long NEVER = -1;

        private Statement statement;

        /** What its execution does to the session, as the client asked for it; the statement may be another one in its place. */
        private final Effects effects;

        /** How many of the client's statements were prepared before it. */
        private final long number;

        private long usedIn = NEVER;

        Own(Statement statement, Effects effects, long number) {
            this.statement = statement;
            this.effects = effects;
            this.number = number;
        }

        /** Whether the client may know its result columns from before the current round. */
        boolean isDescribedBefore(long round) {
            if (usedIn == NEVER) {
                usedIn = round;
            }
            return usedIn != round;
        }

        /** Whether it is that statement, and the client cannot know its result columns from before the round. */
        boolean isOutdated(Statement changed, long round) {
            return statement.equals(changed) && (usedIn == NEVER || usedIn >= round);
        }
    }

    /** Of a map's entry and what it refers to, without the text. */
    private static final int ENTRY_BYTES = 110;

    private final Session session;
    private final StatementCatalog catalog;
    private final SharedTexts texts;

    /** Counts the schema changes that were seen. */
    private final AtomicLong schemas;

    /** The scope of what is prepared now; the same object while nothing changes. */
    private Statement.Scope scope;

    /** Distinguishes this client's statements whose meaning changes with each Parse. */
    private int moments;

    /** How many statements the client has prepared. */
    private long parsed;

    private final Map<String, Own> named = new HashMap<>(0);
    private @Nullable Own unnamed;

    /** The unnamed statement is kept prepared under a name of ours. */
    private boolean unnamedIsKept;

    private @Nullable Statement measured;
    private boolean measuredIsKept;
    private long measuredFrom;

    ClientStatements(Session session, StatementCatalog catalog, SharedTexts texts, AtomicLong schemas) {
        this.session = session;
        this.catalog = catalog;
        this.texts = texts;
        this.schemas = schemas;
        this.scope = new Statement.Scope(schemas.get(), session.settings.scope(), 0);
    }

    // ---- what a text means

    /** The statement of a Parse message, from its text and types, under the current settings. */
    Statement meant(byte[] bytes, int from, int to) {
        return certain(catalog.of(bytes, from, to, scope()));
    }

    /** The same of a long message. */
    Statement meant(LongBytes tail) {
        return Statement.isLong(tail.length())
                ? certain(Statement.of(tail, scope()))
                : meant(tail.beginning(), 0, tail.length());
    }

    private Statement.Scope scope() {
        if (schemas.get() != scope.generation() || !session.settings.scope().equals(scope.settings())) {
            scope = new Statement.Scope(schemas.get(), session.settings.scope(), 0);
        }
        return scope;
    }

    private Statement certain(Statement found) {
        return found.effects().hasVolatileLiteral() || !session.settings.isCertain() ? ofThisMoment(found) : found;
    }

    /** Its meaning is fixed by the moment it was prepared. */
    private Statement ofThisMoment(Statement found) {
        Statement.Scope present = found.scope();
        return found.in(new Statement.Scope(
                present.generation(),
                present.settings(),
                -(((long) session.status().id() << 32) | ++moments)));
    }

    /**
     * What to prepare for a statement that was prepared on another connection. The server reads a text under the current
     * settings, so changed settings make it another statement.
     */
    private Statement here(Link to, Statement statement) {
        Statement.Scope then = statement.scope();
        boolean same = then.owner() != 0
                || (session.settings.isCertain() && session.settings.scope().equals(then.settings()))
                || to.prepared.nameOf(statement) != null;
        if (same) {
            return statement;
        }
        return statement.isLong()
                ? certain(statement.in(scope()))
                : meant(statement.beginning(), 0, statement.length());
    }

    // ---- Parse

    /**
     * Handles a client's Parse of that name; an empty name for the unnamed statement.
     *
     * @param effects of its execution
     */
    void parse(Link to, String name, Statement meant, Effects effects) throws ProtocolException {
        if (name.isEmpty()) {
            parseUnnamed(to, meant, effects);
            return;
        }
        Own before = named.get(name);
        if (before != null) {
            // the server refuses a duplicate name; so it gets a name that it already has
            String known = prepared(to, before.statement, Sent.OUR_PARSE, () -> {});
            session.tenure.owe(to, Owed.duplicate(new Owed.Names(known, name)));
            to.parse(known, meant);
            return;
        }
        if (named.size() >= session.rules.statements()) {
            throw Holdings.tooManyStatements(named.size());
        }
        Own own = new Own(hold(name, meant), effects, parsed++);
        named.put(name, own);
        count();
        prepared(to, own.statement, Sent.PARSE, () -> {
            if (named.remove(name, own)) {
                count();
                letGo(name, own.statement);
            }
        });
    }

    private void count() {
        session.status().keeps(named.size());
    }

    private void parseUnnamed(Link to, Statement meant, Effects effects) throws ProtocolException {
        session.holdings.holdUnnamed(meant.size(), to);
        Own own = new Own(meant, effects, parsed++);
        unnamed = own;
        unnamedIsKept = keeps(to, meant);
        measure(to);
        if (unnamedIsKept) {
            prepared(to, meant, Sent.PARSE, () -> forgetUnnamed(own));
            return;
        }
        to.unnamed = meant.identity();
        session.tenure.owe(to, Owed.of(Sent.PARSE, () -> {
            to.unnamed = null;
            forgetUnnamed(own);
        }));
        to.parse("", meant);
    }

    private void forgetUnnamed(Own failed) {
        if (failed.equals(unnamed)) {
            unnamed = null;
        }
    }

    private boolean keeps(Link to, Statement meant) {
        return session.rules.keepsUnnamed()
                && !meant.isLong()
                && meant.effects().isNothing()
                && !meant.effects().hasVolatileLiteral()
                && meant.effects().statements() <= 1
                && session.settings.isCertain()
                && (to.prepared.nameOf(meant) != null || to.met.metBefore(meant))
                && meant.choice().next();
    }

    // ---- Bind and Describe

    /**
     * The server's name of a client's statement, prepared there first if necessary; the given name if there is none.
     */
    String serversName(Link to, String name) {
        if (!name.isEmpty()) {
            Own own = named.get(name);
            if (own == null) {
                return Link.isOurs(name) ? Link.nobodys(name) : name;
            }
            become(own, here(to, own.statement));
            return use(to, own.statement, Sent.OUR_PARSE, () -> {});
        }
        Own mine = unnamed;
        if (mine == null) { // the server must not use another client's statement of that name
            closeOurs(to, "");
            to.unnamed = null;
        } else if (unnamedIsKept) {
            mine.statement = here(to, mine.statement);
            return use(to, mine.statement, Sent.OUR_PARSE, () -> {});
        } else if (!mine.statement.identity().equals(to.unnamed)) {
            to.unnamed = mine.statement.identity();
            session.tenure.owe(to, Owed.of(Sent.OUR_PARSE, () -> to.unnamed = null));
            to.parse("", mine.statement);
        }
        return name;
    }

    /** The server's name of a statement of ours, prepared there first if necessary. */
    String serversNameOfOurs(Link to, String sql) {
        return prepared(to, Statement.of(sql, scope()), Sent.OUR_PARSE, () -> {});
    }

    /** The same for a statement that the client uses now, which counts. */
    private String use(Link to, Statement statement, Sent as, Runnable undo) {
        to.used(to.prepared.nameOf(statement) != null);
        return prepared(to, statement, as, undo);
    }

    private @Nullable Own own(String name) {
        return name.isEmpty() ? unnamed : named.get(name);
    }

    /** The text that a client's Bind of that name executes, of a long one its beginning; null if it is unknown here. */
    byte @Nullable [] text(String name) {
        Own own = own(name);
        return own == null ? null : own.statement.beginning();
    }

    /** What the execution of the client's statement of that name does to the session. */
    Effects effects(String name) {
        Own own = own(name);
        return own == null ? Effects.NONE : own.effects;
    }

    /**
     * The server's name of a statement, prepared there first if necessary.
     *
     * @param as the answer that the client gets: one to its own Parse, or none
     * @param undo called if it fails or is skipped
     */
    private String prepared(Link to, Statement statement, Sent as, Runnable undo) {
        String known = to.prepared.nameOf(statement);
        if (known != null && as != Sent.PARSE) {
            return known;
        }
        long round = session.transaction.round();
        boolean refused = session.transaction.status == 'E'; // but for a COMMIT or ROLLBACK, which it prepares anew
        if (known != null && !refused && to.prepared.isCertain(statement, round) && !isOld(to, statement)) {
            session.tenure.owe(to, Owed.of(Sent.ABSORBED_PARSE, undo));
            return known;
        }
        to.takeUnclosed().forEach(name -> closeOurs(to, name));
        if (known != null) { // it is old, or may have failed in an earlier round whose answer is outstanding
            closeOurs(to, known);
        } else {
            to.prepared.makeRoomFor(statement).forEach(displaced -> closeOurs(to, displaced));
        }
        String name = to.prepared.add(statement, round, session.nanoTime());
        session.tenure.owe(
                to,
                Owed.parsing(
                        as,
                        () -> {
                            to.prepared.remove(statement, name);
                            undo.run();
                        },
                        () -> to.prepared.confirm(statement, name)));
        to.parse(name, statement);
        return name;
    }

    /** Whether it was prepared long ago, and nothing of the transaction may rest on it. */
    private boolean isOld(Link to, Statement statement) {
        return session.transaction.isFresh() && to.prepared.isOld(statement, session.nanoTime());
    }

    /** If the server skips it after an error, it is sent again with the next Parse. */
    private void closeOurs(Link to, String name) {
        session.tenure.owe(
                to,
                name.isEmpty() // the server's next unnamed one takes its place anyway
                        ? Owed.of(Sent.OUR_CLOSE)
                        : Owed.of(Sent.OUR_CLOSE, () -> to.unclosed(name)));
        to.closeStatement(name);
    }

    /**
     * What the answer to a Bind or Describe of that statement is checked against.
     *
     * @param known the server's name of it
     * @param retryAt the position of the client's message in {@link Retry}
     */
    Owed using(Sent sent, String name, String known, int retryAt) {
        Own own = name.isEmpty() ? (unnamedIsKept ? unnamed : null) : named.get(name);
        return own == null
                ? Owed.of(sent)
                : Owed.using(
                        sent,
                        own.statement,
                        retryAt,
                        own.isDescribedBefore(session.transaction.round()),
                        new Owed.Names(known, name));
    }

    /**
     * What a Describe of this portal is owed: columns that are known, or the server's answer, which is kept. While a setting is underway
     * neither: the names may be in another encoding than it seems.
     */
    Owed describing(Link to, Portal portal) {
        if (!session.settings.isCertain()) {
            return Owed.of(Sent.DESCRIBE);
        }
        Statement statement = portal.statement();
        Statement.Scope asker = scope();
        Columns known = to.prepared.columns(statement, portal.isBinary(), asker, session.nanoTime());
        if (known != null) {
            return Owed.described(known);
        }
        if (!portal.keepsItsColumns()) {
            return Owed.of(Sent.DESCRIBE);
        }
        return Owed.describing(columns -> to.prepared.tell(
                statement,
                portal.name(),
                new StatementCache.Told(columns, portal.isBinary(), asker, session.nanoTime())));
    }

    // ---- Close, and what else drops them

    boolean has(String name) {
        return named.containsKey(name);
    }

    /**
     * Drops a named statement.
     *
     * @return undoes it, if the server skips the Close; null if there is no such name
     */
    @Nullable
    Runnable drop(String name) {
        Own was = named.remove(name);
        if (was == null) {
            return null;
        }
        count();
        letGo(name, was.statement);
        return () -> {
            if (named.putIfAbsent(name, was) == null) {
                count();
                holdAgain(name, was);
            }
        };
    }

    void dropUnnamed(Link to) {
        unnamed = null;
        to.unnamed = null;
    }

    /**
     * The client is about to drop all its named statements. Closes on the connection those that no other client of the domain
     * holds, as far as this loop knows; the others stay prepared for them.
     */
    void closeAlone(Link to) {
        for (Own own : named.values()) {
            String known = to.prepared.nameOf(own.statement);
            if (known != null && texts.isHeldByOneAtMost(own.statement)) {
                to.prepared.remove(own.statement, known);
                closeOurs(to, known);
            }
        }
    }

    /** How many statements the client has prepared, of all that it has sent. */
    long parsed() {
        return parsed;
    }

    /**
     * Drops all named statements but those that the client has prepared since.
     *
     * @param before what {@link #parsed} was when the client dropped them
     */
    void dropNamed(long before) {
        for (Iterator<Map.Entry<String, Own>> each = named.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<String, Own> one = each.next();
            if (one.getValue().number < before) {
                each.remove();
                letGo(one.getKey(), one.getValue().statement);
            }
        }
        count();
    }

    // ---- their memory

    private Statement hold(String name, Statement statement) throws ProtocolException {
        if (statement.isLong()) {
            session.holdings.hold(sizeOf(name) + statement.size());
            return statement;
        }
        session.holdings.hold(sizeOf(name));
        Statement kept = texts.hold(statement);
        if (kept == null) {
            session.holdings.letGo(sizeOf(name));
            throw Holdings.noRoomFor(Holdings.ANOTHER_STATEMENT);
        }
        return kept;
    }

    /** A dropped statement is kept after all; there was room for it. */
    private void holdAgain(String name, Own own) {
        if (own.statement.isLong()) {
            session.holdings.holdAgain(sizeOf(name) + own.statement.size());
        } else {
            session.holdings.holdAgain(sizeOf(name));
            own.statement = texts.holdAnyway(own.statement);
        }
    }

    private void letGo(String name, Statement statement) {
        session.holdings.letGo(sizeOf(name));
        if (statement.isLong()) {
            session.holdings.drop(statement.size(), session.tenure.link());
            return;
        }
        texts.letGo(statement);
        if (statement.size() > Holdings.FREE) {
            session.holdings.holdAgain(statement.size());
            session.holdings.drop(statement.size(), session.tenure.link());
        }
    }

    /** A named statement is replaced by one of the same text. */
    private void become(Own own, Statement now) {
        if (!now.equals(own.statement)) {
            if (now.isLong()) {
                own.statement = now;
            } else {
                texts.letGo(own.statement);
                own.statement = texts.holdAnyway(now);
            }
        }
    }

    /** Bytes that a named statement takes here without its text, about. */
    private static long sizeOf(String name) {
        return name.length() + (long) ENTRY_BYTES;
    }

    /**
     * A statement now has other result columns. The client's names for it get the new statement, unless the client may know the
     * old columns.
     *
     * @param round the round in which the server reported it
     */
    void renew(Statement changed, long round) {
        Statement.Scope before = changed.scope();
        Statement now = changed.in(new Statement.Scope(schemas.get(), before.settings(), before.owner()));
        for (Own own : named.values()) {
            if (own.isOutdated(changed, round)) {
                become(own, now);
            }
        }
        Own mine = unnamed;
        if (mine != null && mine.isOutdated(changed, round)) {
            mine.statement = now;
        }
    }

    // ---- which way of executing the unnamed one is faster

    /** Starts to measure an execution of the unnamed statement, if nothing else is in progress. */
    void measure(Link to) {
        Own own = unnamed;
        if (own != null && session.rules.keepsUnnamed() && to.pipeline.isSettled()) {
            measured = own.statement;
            measuredIsKept = unnamedIsKept;
            measuredFrom = session.nanoTime();
        }
    }

    /** An EXECUTE has ended. */
    void executed() {
        Statement of = measured;
        if (of != null) {
            measured = null;
            of.choice().measured(measuredIsKept, session.nanoTime() - measuredFrom);
        }
    }

    /** The measured execution has failed, or its transaction has ended. */
    void measureNoMore() {
        measured = null;
    }
}
