package dev.headgate.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The statements prepared on one connection under our names, bounded by number and by bytes. The least recently used one is
 * closed to make room. Belongs to the thread that uses the connection, but for {@link #list}.
 */
public final class StatementCache {

    /**
     * A statement's place on the server.
     *
     * @param round the round of messages in which its Parse was sent; negative after the server has confirmed it
     * @param since when its Parse was sent, in nanoseconds of any clock
     * @param size {@linkplain Statement#size bytes}, most of them of its text, which the server keeps; the key here is its
     *     {@link Statement#identity identity}
     * @param told its columns; null if nobody has asked the server for them
     */
    private record Place(
            String name,
            long round,
            long since,
            int size,
            @Nullable Told told) {
        int bytes() {
            return size + (told == null ? 0 : told.columns.size());
        }
    }

    /**
     * What the server has answered to a Describe of a statement's portal.
     *
     * @param binary whether the columns were bound in binary
     * @param scope of whoever asked: their names are in its encoding, and its generation is that of the tables they come from
     * @param since when that was, in nanoseconds of any clock
     */
    public record Told(Columns columns, boolean binary, Statement.Scope scope, long since) {}

    /**
     * A prepared statement.
     *
     * @param key tells its text, unless it is too long to be kept
     */
    public record Listed(String name, Object key, int size) {

        /** Its text; null if it is too long to be kept. */
        public @Nullable String sql() {
            return key instanceof Statement statement ? statement.sql() : null;
        }
    }

    private static final long CERTAIN = -1;

    /**
     * A statement's parameters keep the types that the server inferred when it was prepared. A change of the schema that nobody here
     * saw, and that is no error to the server, is noticed by clients after so long at most.
     */
    static final long FRESH_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String prefix;
    private final int most;
    private final long mostBytes;
    private final LinkedHashMap<Object, Place> places = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Object, Listed> listed = new ConcurrentHashMap<>();
    private long bytes;
    private int sequence;

    /**
     * @param prefix the prefix of the names
     * @param most the most statements
     * @param mostBytes the most bytes of their texts; the last prepared statement is kept whatever its length
     */
    public StatementCache(String prefix, int most, long mostBytes) {
        this.prefix = prefix;
        this.most = most;
        this.mostBytes = mostBytes;
    }

    /** The server's name of a statement; null if it is not prepared here. */
    public @Nullable String nameOf(Statement statement) {
        Place found = places.get(statement.identity());
        return found == null ? null : found.name;
    }

    /**
     * Whether its Parse can be omitted: it is prepared, or will be unless the whole round fails.
     *
     * @param round the current round
     */
    public boolean isCertain(Statement statement, long round) {
        Place found = places.get(statement.identity());
        return found != null && (found.round == CERTAIN || found.round == round);
    }

    /** Whether it was prepared so long ago that a client's own Parse should not be omitted. */
    public boolean isOld(Statement statement, long now) {
        Place found = places.get(statement.identity());
        return found != null && now - found.since > FRESH_NANOS;
    }

    /** The server has confirmed that it is prepared under this name. */
    public void confirm(Statement statement, String name) {
        Place found = place(statement, name);
        if (found != null) {
            places.put(statement.identity(), new Place(name, CERTAIN, found.since, found.size, found.told));
        }
    }

    /** The server has told the columns of the statement that is prepared under this name. */
    public void tell(Statement statement, String name, Told told) {
        Place found = place(statement, name);
        if (found != null) {
            Place wiser = new Place(name, found.round, found.since, found.size, told);
            bytes += wiser.bytes() - found.bytes();
            places.put(statement.identity(), wiser);
        }
    }

    /**
     * Its columns, if the server told them to somebody of this scope within the last minute; else null. A prepared statement keeps its
     * columns as long as it lives, but the tables that they are said to come from may be replaced by others.
     */
    public @Nullable Columns columns(Statement statement, boolean binary, Statement.Scope scope, long now) {
        Place found = places.get(statement.identity());
        Told told = found == null ? null : found.told;
        if (told == null || told.binary != binary || now - told.since > FRESH_NANOS || !told.scope.equals(scope)) {
            return null;
        }
        return told.columns;
    }

    /** The names of statements to close to make room for this one. They count as closed from now on. */
    public List<String> makeRoomFor(Statement statement) {
        if (places.size() < most && bytes + statement.size() <= mostBytes) {
            return List.of();
        }
        List<String> displaced = new ArrayList<>();
        var oldest = places.entrySet().iterator();
        while ((places.size() >= most || bytes + statement.size() > mostBytes) && oldest.hasNext()) {
            Map.Entry<Object, Place> each = oldest.next();
            displaced.add(each.getValue().name);
            bytes -= each.getValue().bytes();
            listed.remove(each.getKey());
            oldest.remove();
        }
        return displaced;
    }

    /**
     * A new name for a statement whose Parse is sent in this round. The caller must close its former name, if any.
     *
     * @param now in nanoseconds, of the clock that {@link #isOld} is asked by
     */
    public String add(Statement statement, long round, long now) {
        String name = prefix + ++sequence;
        listed.put(statement.identity(), new Listed(name, statement.identity(), statement.size()));
        Place before = places.put(statement.identity(), new Place(name, round, now, statement.size(), null));
        bytes += statement.size() - (before == null ? 0 : before.bytes());
        return name;
    }

    /** It was not prepared under this name after all. */
    public void remove(Statement statement, String name) {
        if (place(statement, name) != null) {
            remove(statement);
        }
    }

    /** Null if the statement is not prepared here, or under another name by now. */
    private @Nullable Place place(Statement statement, String name) {
        Place found = places.get(statement.identity());
        return found != null && found.name.equals(name) ? found : null;
    }

    /** It is not prepared here any more. */
    public void remove(Statement statement) {
        Place removed = places.remove(statement.identity());
        if (removed != null) {
            bytes -= removed.bytes();
            listed.remove(statement.identity());
        }
    }

    public void clear() {
        places.clear();
        listed.clear();
        bytes = 0;
    }

    /** The approximate number of bytes of the prepared texts, and of what is known of their columns. */
    public long bytes() {
        return bytes;
    }

    /** The prepared statements, in no order. From any thread; it may miss what is changed meanwhile. */
    public List<Listed> list() {
        return List.copyOf(listed.values());
    }
}
