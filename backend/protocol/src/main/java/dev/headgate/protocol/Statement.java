package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A prepared statement as a client asked for it: its Parse message without the name, and the {@link Scope} that also decides
 * its meaning. Equal statements may share one on the server. Immutable except {@link #choice} and {@link #identity}, which
 * belong to the thread of the catalog that holds it.
 *
 * <p>A {@linkplain #isLong long} text takes milliseconds to read, and a loop has other clients. So only its beginning is read for its
 * effects and its hash, and its identity is the object's, not the text's.
 */
public final class Statement {

    /**
     * Decides a statement's meaning together with its text.
     *
     * @param generation the number of schema changes seen so far: the same text may mean something else after a change
     * @param settings the session's settings that affect how PostgreSQL reads a text (it reads a literal when the statement is
     *     prepared, by the DateStyle at that time)
     * @param owner the only session that uses it; 0 if sessions share it
     */
    public record Scope(long generation, String settings, long owner) {

        public static final Scope SHARED = new Scope(0, "", 0);
    }

    private static final int LONGEST_REMEMBERED = 2 * 1024;

    /** Bytes. A longer text is kept by the client that sent it, and by nobody else: few send such a text twice. */
    private static final int LONGEST_SHARED = 64 * 1024;

    /** Bytes of a text that are read for its effects. After a longer one the connection is reset. */
    public static final int LOOKED_AT = 1024 * 1024;

    /** Bytes of a long text that are read for its hash. */
    private static final int HASHED = 4 * 1024;

    private final byte[] tail;
    private final int hash;
    private final Scope scope;
    private final Effects effects;

    @Nullable
    private PlanChoice choice;

    @Nullable
    private Object identity;

    private Statement(byte[] tail, int hash, Scope scope, Effects effects) {
        this.tail = tail;
        this.hash = hash;
        this.scope = scope;
        this.effects = effects;
    }

    /**
     * A statement that is in no catalog.
     *
     * @param tail query and parameter types as in a Parse message
     */
    public static Statement of(byte[] tail, Scope scope) {
        return of(tail, hash(tail, 0, tail.length), scope);
    }

    /** The same with a {@link #hash} that is known. */
    static Statement of(byte[] tail, int hash, Scope scope) {
        int seen = Math.min(tail.length, LOOKED_AT);
        Effects effects = Effects.of(tail, 0, textEnd(tail, 0, seen));
        return new Statement(tail, hash, scope, seen < tail.length ? effects.withVolatileLiteral() : effects);
    }

    /** The same text and types in another scope. */
    public Statement in(Scope other) {
        return new Statement(tail, hash, other, effects);
    }

    /** Whether it is longer than a text that clients share. */
    public boolean isLong() {
        return isLong(tail.length);
    }

    static boolean isLong(int length) {
        return length > LONGEST_SHARED;
    }

    /** A statement with a text of our own, without types. */
    public static Statement of(String sql, Scope scope) {
        return of((sql + "\0\0\0").getBytes(StandardCharsets.UTF_8), scope);
    }

    /**
     * A key for maps that hold many statements; such a map keeps no long text. A short statement is its own key, and the key of a longer
     * one is its digest (SHA-256): then equal statements have equal keys. A {@linkplain #isLong long} one has a key of its own.
     */
    public Object identity() {
        if (tail.length <= LONGEST_REMEMBERED) {
            return this;
        }
        Object present = identity;
        if (present == null) {
            present = isLong() ? new Object() : new Identity(digest(tail), scope);
            identity = present;
        }
        return present;
    }

    private record Identity(String digest, Scope scope) {}

    private static String digest(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    /** Query and parameter types as in a Parse message. Must not be modified. */
    public byte[] tail() {
        return tail;
    }

    public Scope scope() {
        return scope;
    }

    /** The effects of its execution. */
    public Effects effects() {
        return effects;
    }

    /** The approximate number of bytes that it holds. */
    public int size() {
        return tail.length + 100;
    }

    /** The query's text. */
    public String sql() {
        return new String(tail, 0, textEnd(tail, 0, tail.length), StandardCharsets.UTF_8);
    }

    /** The choice of the faster way for unnamed executions. */
    public PlanChoice choice() {
        PlanChoice present = choice;
        if (present == null) {
            present = new PlanChoice();
            choice = present;
        }
        return present;
    }

    boolean is(byte[] bytes, int from, int to, int itsHash, Scope itsScope) {
        return hash == itsHash && Arrays.equals(tail, 0, tail.length, bytes, from, to) && scope.equals(itsScope);
    }

    static int hash(byte[] bytes, int from, int to) {
        boolean isLong = isLong(to - from);
        int hash = isLong ? to - from : 1;
        for (int at = from; at < (isLong ? from + HASHED : to); at++) {
            hash = 31 * hash + bytes[at];
        }
        return hash;
    }

    static int textEnd(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof Statement that && is(that.tail, 0, that.tail.length, that.hash, that.scope));
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return sql();
    }
}
