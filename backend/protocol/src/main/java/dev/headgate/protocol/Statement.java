package dev.headgate.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Objects;
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
     * @param settings {@linkplain #digestOf the digest} of the session's settings that affect how PostgreSQL reads a text (it reads
     *     a literal when the statement is prepared, by the DateStyle at that time); empty without such settings
     * @param owner the only session that uses it; 0 if sessions share it
     */
    public record Scope(long generation, String settings, long owner) {

        public static final Scope SHARED = new Scope(0, "", 0);

        /** A short text that stands for settings of any length (SHA-256); empty for none. */
        public static String digestOf(Collection<String> commands) {
            if (commands.isEmpty()) {
                return "";
            }
            MessageDigest digest = sha256();
            for (String command : commands) {
                digest.update(command.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) 0);
            }
            return HexFormat.of().formatHex(digest.digest());
        }
    }

    private static final int LONGEST_REMEMBERED = 2 * 1024;

    /** Bytes. A longer text is kept by the client that sent it, and by nobody else: few send such a text twice. */
    private static final int LONGEST_SHARED = 64 * 1024;

    /** Bytes of a text that are read for its effects. After a longer one the connection is reset. */
    public static final int LOOKED_AT = 256 * 1024;

    /** Bytes of a statement without its texts. */
    private static final int OBJECTS = 100;

    /** Bytes of a long text that are read for its hash. */
    private static final int HASHED = 4 * 1024;

    /** All of the tail; of one that is longer than a piece, its first piece. */
    private final byte[] beginning;

    /** The tail of a long one. */
    private final @Nullable LongBytes pieces;

    private final int hash;
    private final Scope scope;
    private final Effects effects;

    @Nullable
    private PlanChoice choice;

    @Nullable
    private Object identity;

    private Statement(byte[] beginning, @Nullable LongBytes pieces, int hash, Scope scope, Effects effects) {
        this.beginning = beginning;
        this.pieces = pieces;
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
        return isLong(tail.length)
                ? of(LongBytes.of(tail, 0, tail.length), scope)
                : of(tail, hash(tail, 0, tail.length), scope);
    }

    /** The same with a {@link #hash} that is known, of a tail that is not long. */
    static Statement of(byte[] tail, int hash, Scope scope) {
        return new Statement(tail, null, hash, scope, effects(tail));
    }

    /** The same of a tail that is complete. */
    public static Statement of(LongBytes tail, Scope scope) {
        byte[] beginning = tail.beginning();
        if (!isLong(tail.length())) {
            return of(beginning, scope);
        }
        Effects effects = effects(beginning);
        return new Statement(
                beginning,
                tail,
                31 * tail.length() + hash(beginning, 0, HASHED),
                scope,
                tail.length() > LOOKED_AT ? effects.withVolatileLiteral() : effects);
    }

    private static Effects effects(byte[] beginning) {
        return Effects.of(beginning, 0, textEnd(beginning, Math.min(beginning.length, LOOKED_AT)));
    }

    /** The same text and types in another scope. */
    public Statement in(Scope other) {
        return new Statement(beginning, pieces, hash, other, effects);
    }

    /** Whether it is longer than a text that clients share. */
    public boolean isLong() {
        return pieces != null;
    }

    /** Whether so many bytes are more than clients share. */
    public static boolean isLong(int length) {
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
        if (beginning.length <= LONGEST_REMEMBERED) {
            return this;
        }
        Object present = identity;
        if (present == null) {
            present =
                    isLong() ? new Object() : new Identity(HexFormat.of().formatHex(sha256().digest(beginning)), scope);
            identity = present;
        }
        return present;
    }

    private record Identity(String digest, Scope scope) {}

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }

    /** The number of bytes of query and parameter types, as in a Parse message. */
    public int length() {
        return pieces == null ? beginning.length : pieces.length();
    }

    /** The first of these bytes: all of them, unless they are more than {@link LongBytes#PIECE}. Must not be modified. */
    public byte[] beginning() {
        return beginning;
    }

    /** Writes query and parameter types, a long text without copying it. */
    public void write(FrameWriter out) {
        if (pieces == null) {
            out.share(beginning);
        } else {
            pieces.pieces().forEach(out::share);
        }
    }

    public Scope scope() {
        return scope;
    }

    /** The effects of its execution. */
    public Effects effects() {
        return effects;
    }

    /** The approximate number of bytes that it holds: its text, the name of its scope, and what its effects say of it. */
    public int size() {
        return Math.toIntExact(length() + scope.settings().length() + effects.size() + OBJECTS);
    }

    /** The query's text. */
    public String sql() {
        byte[] all = pieces == null ? beginning : pieces.toArray();
        return new String(all, 0, textEnd(all, all.length), StandardCharsets.UTF_8);
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
        return pieces == null
                && hash == itsHash
                && Arrays.equals(beginning, 0, beginning.length, bytes, from, to)
                && scope.equals(itsScope);
    }

    static int hash(byte[] bytes, int from, int to) {
        int hash = 1;
        for (int at = from; at < to; at++) {
            hash = 31 * hash + bytes[at];
        }
        return hash;
    }

    private static int textEnd(byte[] bytes, int most) {
        int at = 0;
        while (at < most && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof Statement that
                        && hash == that.hash
                        && Objects.equals(pieces, that.pieces)
                        && Arrays.equals(beginning, that.beginning)
                        && scope.equals(that.scope));
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
