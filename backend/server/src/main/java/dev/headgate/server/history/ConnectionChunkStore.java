package dev.headgate.server.history;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.support.TransactionTemplate;

/** The table of the connections' history. Every method blocks on the control store and throws Spring's DataAccessException. */
@Repository
class ConnectionChunkStore {

    private static final RowMapper<Stored> STORED = (row, number) -> new Stored(
            row.getInt("series"),
            new ConnectionChunk(
                    Resolution.of(row.getInt("resolution")),
                    second(row.getTimestamp("start")),
                    second(row.getTimestamp("finish")),
                    row.getBytes("body")));

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;

    ConnectionChunkStore(JdbcTemplate jdbc, TransactionTemplate transactions) {
        this.jdbc = jdbc;
        this.transactions = transactions;
    }

    /** A chunk and whose it is. */
    record Stored(int series, ConnectionChunk chunk) {}

    /**
     * A chunk without its body.
     *
     * @param start in seconds since the epoch
     * @param finish not included
     */
    record Head(int series, Resolution resolution, long start, long finish, int bytes) {}

    /**
     * What a domain has of a resolution.
     *
     * @param start of its oldest chunk, in seconds since the epoch
     * @param finish of its newest, not included
     */
    record Extent(long start, long finish) {}

    /** The series of a domain as it is now; makes it if it is new. Empty if there is no such domain. */
    Optional<Integer> series(String node, String domain) {
        jdbc.update("""
                insert into history_series (node, domain, created_at) select ?, name, created_at from domain where name = ?
                on conflict do nothing
                """, node, domain);
        return jdbc.queryForList("""
                        select s.id from history_series s
                        join domain d on d.name = s.domain and d.created_at = s.created_at where s.node = ? and s.domain = ?
                        """, Integer.class, node, domain).stream().findFirst();
    }

    /** Writes all or nothing. Writing the same again is harmless, and so is a series that is gone. */
    void save(List<Stored> chunks) {
        List<Object[]> rows = chunks.stream()
                .map(each -> new Object[] {
                    each.chunk().resolution().seconds(),
                    time(each.chunk().start()),
                    time(each.chunk().finish()),
                    each.chunk().body().length + ChunkStore.ROW_BYTES,
                    each.chunk().body(),
                    each.series()
                })
                .toList();
        transactions.executeWithoutResult(transaction -> jdbc.batchUpdate("""
                insert into history_connections (series, resolution, start, finish, bytes, body)
                select id, ?, ?, ?, ?, ? from history_series where id = ? for key share
                on conflict do nothing
                """, rows));
    }

    /** The chunks of a domain's life that lie at least partly in a range, of every resolution. */
    List<Head> heads(String domain, Instant created, long from, long to) {
        return jdbc.query(
                """
                select series, resolution, start, finish, bytes from history_connections
                where series in (select id from history_series where domain = ? and created_at = ?)
                  and finish > ? and start < ? order by start
                """,
                (row, number) -> new Head(
                        row.getInt("series"),
                        Resolution.of(row.getInt("resolution")),
                        second(row.getTimestamp("start")),
                        second(row.getTimestamp("finish")),
                        row.getInt("bytes")),
                domain,
                Timestamp.from(created),
                time(from),
                time(to));
    }

    /** The chunks with these heads, by start. One that was deleted meanwhile is missing. */
    List<Stored> chunks(Collection<Head> heads) {
        Set<Integer> series = new LinkedHashSet<>();
        Set<Timestamp> starts = new LinkedHashSet<>();
        Set<Key> wanted = new LinkedHashSet<>();
        for (Head head : heads) {
            series.add(head.series());
            starts.add(time(head.start()));
            wanted.add(new Key(head.series(), head.resolution(), head.start()));
        }
        List<Stored> found = jdbc.query("""
                select series, resolution, start, finish, body from history_connections
                where series = any(?) and start = any(?) order by start
                """, STORED, series.toArray(Integer[]::new), starts.toArray(Timestamp[]::new));
        List<Stored> kept = new ArrayList<>(found);
        kept.removeIf(each -> !wanted.contains(
                new Key(each.series(), each.chunk().resolution(), each.chunk().start())));
        return kept;
    }

    private record Key(int series, Resolution resolution, long start) {}

    /** What a domain's life has of each resolution; one of which it has nothing is missing. */
    Map<Resolution, Extent> extents(String domain, Instant created) {
        Map<Resolution, Extent> extents = new EnumMap<>(Resolution.class);
        jdbc.query(
                """
                select resolution, min(start) as start, max(finish) as finish from history_connections
                where series in (select id from history_series where domain = ? and created_at = ?) group by resolution
                """,
                row -> {
                    extents.put(
                            Resolution.of(row.getInt("resolution")),
                            new Extent(second(row.getTimestamp("start")), second(row.getTimestamp("finish"))));
                },
                domain,
                Timestamp.from(created));
        return extents;
    }

    /** The series that have chunks of a resolution before an instant that are not rolled up into the coarser one. */
    List<Integer> notRolledUp(Resolution resolution, Resolution coarser, long before) {
        return jdbc.queryForList("""
                select distinct c.series from history_connections c where c.resolution = ? and c.finish <= ?
                and c.start >= coalesce(
                    (select max(finish) from history_connections r where r.series = c.series and r.resolution = ?), '-infinity')
                """, Integer.class, resolution.seconds(), time(before), coarser.seconds());
    }

    /** The chunks of a series that {@link #notRolledUp} is about, oldest first. */
    List<Stored> notRolledUp(int series, Resolution resolution, Resolution coarser, long before) {
        return jdbc.query("""
                select series, resolution, start, finish, body from history_connections where series = ? and resolution = ?
                and finish <= ? and start >= coalesce(
                    (select max(finish) from history_connections where series = ? and resolution = ?), '-infinity')
                order by start
                """, STORED, series, resolution.seconds(), time(before), series, coarser.seconds());
    }

    /** Deletes the chunks of a resolution that end before an instant, in seconds since the epoch. */
    void deleteBefore(Resolution resolution, long second) {
        jdbc.update(
                "delete from history_connections where resolution = ? and finish <= ?",
                resolution.seconds(),
                time(second));
    }

    /** The bytes of all chunks on disk, about. */
    long bytes() {
        Long bytes = jdbc.queryForObject("select coalesce(sum(bytes), 0) from history_connections", Long.class);
        return bytes == null ? 0 : bytes;
    }

    /**
     * The first instant at which the oldest chunks of a resolution have so many bytes, in seconds since the epoch; of all its
     * chunks if they have fewer. Empty if it has none.
     */
    Optional<Long> endOfOldest(Resolution resolution, long bytes) {
        @Nullable Timestamp finish = jdbc.queryForObject("""
                with so_far as (
                  select finish, sum(sum(bytes)) over (order by finish) as bytes from history_connections
                  where resolution = ? group by finish)
                select coalesce((select min(finish) from so_far where bytes >= ?), (select max(finish) from so_far))
                """, Timestamp.class, resolution.seconds(), bytes);
        return Optional.ofNullable(finish).map(ConnectionChunkStore::second);
    }

    private static long second(Timestamp time) {
        return time.toInstant().getEpochSecond();
    }

    private static Timestamp time(long second) {
        return Timestamp.from(Instant.ofEpochSecond(second));
    }
}
