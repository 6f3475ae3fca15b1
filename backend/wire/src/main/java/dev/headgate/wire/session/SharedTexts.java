package dev.headgate.wire.session;

import dev.headgate.protocol.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The statements that some client of one domain, on one loop, has prepared. Applications with many clients prepare the same texts
 * in each of them. So equal statements are one object here, and its memory is reserved once, while any client holds it. Not for
 * {@linkplain Statement#isLong long} ones, which are in each client anew. Belongs to the loop's thread.
 */
public final class SharedTexts {

    /** Of a map's entry and what it refers to, without the statement. */
    private static final int ENTRY_BYTES = 100;

    private static final class Held {
        private final Statement statement;
        private int holders = 1;

        Held(Statement statement) {
            this.statement = statement;
        }
    }

    private final LongPredicate reserve;
    private final LongConsumer add;
    private final Map<Statement, Held> texts = new HashMap<>();

    /**
     * @param reserve reserves so many bytes, or answers false
     * @param add adds so many bytes, or removes them, without regard to the bounds
     */
    public SharedTexts(LongPredicate reserve, LongConsumer add) {
        this.reserve = reserve;
        this.add = add;
    }

    /**
     * One more client holds a statement.
     *
     * @return the equal statement to keep instead; null if there is no memory for it
     */
    @Nullable
    Statement hold(Statement statement) {
        Held held = texts.get(statement);
        if (held == null && !reserve.test(sizeOf(statement))) {
            return null;
        }
        return keep(held, statement);
    }

    /** The same, where it must not be refused. */
    Statement holdAnyway(Statement statement) {
        Held held = texts.get(statement);
        if (held == null) {
            add.accept(sizeOf(statement));
        }
        return keep(held, statement);
    }

    private Statement keep(@Nullable Held held, Statement statement) {
        if (held == null) {
            texts.put(statement, new Held(statement));
            return statement;
        }
        held.holders++;
        return held.statement;
    }

    /** A client holds a statement no longer. */
    void letGo(Statement statement) {
        Held held = texts.get(statement);
        if (held == null) {
            throw new IllegalStateException("no client holds " + statement);
        }
        if (--held.holders == 0) {
            texts.remove(statement);
            add.accept(-sizeOf(statement));
        }
    }

    /** Whether no second client holds it, nor a client under a second name. */
    boolean isHeldByOneAtMost(Statement statement) {
        Held held = texts.get(statement);
        return held == null || held.holders <= 1;
    }

    /** Whether no client holds a text. */
    public boolean isEmpty() {
        return texts.isEmpty();
    }

    private static long sizeOf(Statement statement) {
        return (long) statement.size() + ENTRY_BYTES;
    }
}
