package dev.headgate.server.history;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.support.TransactionTemplate;

/** The tables of the history. Every method blocks on the control store and throws Spring's DataAccessException. */
@Repository
class ChunkStore {

    /** About what a row takes beside its body: its header, its places in two indexes, what a page leaves free. */
    static final int ROW_BYTES = 200;

    private static final RowMapper<Chunk> CHUNK = (row, number) -> new Chunk(
            Resolution.of(row.getInt("resolution")),
            row.getTimestamp("start").toInstant().getEpochSecond(),
            row.getBytes("body"));

    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;

    ChunkStore(JdbcTemplate jdbc, TransactionTemplate transactions) {
        this.jdbc = jdbc;
        this.transactions = transactions;
    }

    /** A series, with the chunks that are open in it. */
    record Begun(String domain, Series.Life life, List<Chunk> open) {}

    /** A chunk and whose it is. */
    record Stored(int series, Chunk chunk) {}

    /** The series of a domain as it is now; makes it if it is new. Empty if there is no such domain. */
    Optional<Begun> begin(String node, String domain) {
        jdbc.update("""
                insert into history_series (node, domain, created_at) select ?, name, created_at from domain where name = ?
                on conflict do nothing
                """, node, domain);
        return begun("""
                join domain d on d.name = s.domain and d.created_at = s.created_at
                left join history_open o on o.series = s.id
                where s.node = ? and s.domain = ?
                """, node, domain).stream().findFirst();
    }

    /** The series of domains that are gone, if chunks are still open in them. */
    List<Begun> orphans() {
        return begun("""
                join history_open o on o.series = s.id
                where not exists (select from domain d where d.name = s.domain and d.created_at = s.created_at)
                """);
    }

    private List<Begun> begun(String source, Object... values) {
        Map<Integer, Begun> found = new LinkedHashMap<>();
        jdbc.query(
                "select s.id, s.domain, s.created_at, o.resolution, o.start, o.body from history_series s " + source,
                row -> {
                    Series.Life life = new Series.Life(
                            row.getInt("id"), row.getTimestamp("created_at").toInstant());
                    Begun begun = found.get(life.id());
                    if (begun == null) {
                        begun = new Begun(row.getString("domain"), life, new ArrayList<>());
                        found.put(life.id(), begun);
                    }
                    if (row.getBytes("body") != null) {
                        begun.open().add(CHUNK.mapRow(row, 0));
                    }
                },
                values);
        return List.copyOf(found.values());
    }

    /** Which of these lives are those of domains that are there. */
    List<Integer> living(Collection<Integer> series) {
        return jdbc.queryForList("""
                select s.id from history_series s join domain d on d.name = s.domain and d.created_at = s.created_at
                where s.id = any(?)
                """, Integer.class, (Object) series.toArray(Integer[]::new));
    }

    /** Writes all or nothing. Writing the same again is harmless. */
    void save(List<Series.Changes> changes) {
        List<Object[]> closed = new ArrayList<>();
        List<Object[]> opened = new ArrayList<>();
        List<Object[]> none = new ArrayList<>();
        for (Series.Changes each : changes) {
            each.closed()
                    .forEach(chunk -> closed.add(new Object[] {
                        each.series(),
                        chunk.resolution().seconds(),
                        time(chunk.start()),
                        chunk.body().length + ROW_BYTES,
                        chunk.body()
                    }));
            each.open().forEach((resolution, chunk) -> {
                if (chunk == null) {
                    none.add(new Object[] {each.series(), resolution.seconds()});
                } else {
                    opened.add(new Object[] {each.series(), resolution.seconds(), time(chunk.start()), chunk.body()});
                }
            });
        }
        transactions.executeWithoutResult(transaction -> {
            jdbc.batchUpdate("""
                    insert into history_chunk (series, resolution, start, bytes, body) values (?, ?, ?, ?, ?)
                    on conflict do nothing
                    """, closed);
            jdbc.batchUpdate("""
                    insert into history_open (series, resolution, start, body) values (?, ?, ?, ?)
                    on conflict (series, resolution) do update set start = excluded.start, body = excluded.body
                    """, opened);
            jdbc.batchUpdate("delete from history_open where series = ? and resolution = ?", none);
        });
    }

    /** When the domain of that name was created; of a deleted one, when the last of that name was. */
    Optional<Instant> created(String domain) {
        Timestamp found = jdbc.queryForObject("""
                select coalesce((select created_at from domain where name = ?),
                                (select max(created_at) from history_series where domain = ?))
                """, Timestamp.class, domain, domain);
        return Optional.ofNullable(found).map(Timestamp::toInstant);
    }

    /** When the domain was created that had this name at an instant, or had it last before. */
    Optional<Instant> created(String domain, Instant at) {
        @Nullable Timestamp found = jdbc.queryForObject("""
                select max(created_at) from (
                  select created_at from domain where name = ? union select created_at from history_series where domain = ?) lives
                where created_at <= ?
                """, Timestamp.class, domain, domain, Timestamp.from(at));
        return Optional.ofNullable(found).map(Timestamp::toInstant);
    }

    /**
     * The stored chunks of a domain that lie at least partly in a range, oldest first.
     *
     * @param created when the domain was
     * @param from in seconds since the epoch
     * @param to not included
     */
    List<Stored> chunks(String domain, Instant created, Resolution resolution, long from, long to) {
        return jdbc.query(
                """
                select series, resolution, start, body from history_chunk
                where series in (select id from history_series where domain = ? and created_at = ?)
                  and resolution = ? and start > ? and start < ? order by start
                """,
                (row, number) -> new Stored(row.getInt("series"), CHUNK.mapRow(row, number)),
                domain,
                Timestamp.from(created),
                resolution.seconds(),
                time(from - resolution.chunkSeconds()),
                time(to));
    }

    /** The names of all domains. */
    List<String> domains() {
        return jdbc.queryForList("select name from domain order by name", String.class);
    }

    /** The chunks of seconds of a domain since an instant, oldest first, with those that a former process left open. */
    List<Chunk> seconds(String domain, long from) {
        return jdbc.query("""
                with its as (
                  select s.id from history_series s join domain d on d.name = s.domain and d.created_at = s.created_at
                  where d.name = ?)
                select resolution, start, body from history_chunk
                where series in (select id from its) and resolution = 1 and start > ?
                union all
                select resolution, start, body from history_open where series in (select id from its) and resolution = 1
                order by start
                """, CHUNK, domain, time(from - Resolution.SECONDS.chunkSeconds()));
    }

    /** From when on each resolution is kept, in seconds since the epoch; 0 where nothing has been deleted. */
    Map<Resolution, Long> since() {
        Map<Resolution, Long> since = new EnumMap<>(Resolution.class);
        Arrays.stream(Resolution.values()).forEach(each -> since.put(each, 0L));
        jdbc.query("select resolution, since from history_kept", row -> {
            since.put(
                    Resolution.of(row.getInt("resolution")),
                    row.getTimestamp("since").toInstant().getEpochSecond());
        });
        return since;
    }

    /** Deletes the chunks of a resolution that end before an instant, in seconds since the epoch. */
    void deleteBefore(Resolution resolution, long second) {
        transactions.executeWithoutResult(transaction -> {
            jdbc.update("""
                    insert into history_kept (resolution, since) values (?, ?)
                    on conflict (resolution) do update set since = greatest(history_kept.since, excluded.since)
                    """, resolution.seconds(), time(second));
            jdbc.update(
                    "delete from history_chunk where resolution = ? and start <= ?",
                    resolution.seconds(),
                    time(second - resolution.chunkSeconds()));
        });
    }

    /** Deletes the series of domains that are gone, if they have nothing left. */
    void deleteEmptySeries() {
        jdbc.update("""
                delete from history_series s
                where not exists (select from domain d where d.name = s.domain and d.created_at = s.created_at)
                  and not exists (select from history_chunk c where c.series = s.id)
                  and not exists (select from history_open o where o.series = s.id)
                  and not exists (select from history_connections c where c.series = s.id)
                """);
    }

    /** The bytes of all chunks on disk, about. */
    long bytes() {
        Long bytes = jdbc.queryForObject("select coalesce(sum(bytes), 0) from history_chunk", Long.class);
        return bytes == null ? 0 : bytes;
    }

    /**
     * The first instant at which the oldest chunks of a resolution have so many bytes, in seconds since the epoch; of all its
     * chunks if they have fewer. Empty if it has none.
     */
    Optional<Long> endOfOldest(Resolution resolution, long bytes) {
        @Nullable Timestamp start = jdbc.queryForObject("""
                with so_far as (
                  select start, sum(sum(bytes)) over (order by start) as bytes from history_chunk where resolution = ? group by start)
                select coalesce((select min(start) from so_far where bytes >= ?), (select max(start) from so_far))
                """, Timestamp.class, resolution.seconds(), bytes);
        return Optional.ofNullable(start).map(found -> found.toInstant().getEpochSecond() + resolution.chunkSeconds());
    }

    private static Timestamp time(long second) {
        return Timestamp.from(Instant.ofEpochSecond(second));
    }
}
