package dev.headgate.server.annotations;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** The annotations' table. Every method blocks on the control store and takes part in the caller's transaction, if there is one. */
@Repository
class AnnotationStore {

    private final JdbcTemplate jdbc;

    AnnotationStore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    void add(Annotation annotation) {
        jdbc.update(
                """
                insert into annotation (id, time, kind, text, tags, database, domain, author, created_at)
                values (?::uuid, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                annotation.id(),
                Timestamp.from(annotation.time()),
                annotation.kind(),
                annotation.text(),
                annotation.tags().toArray(String[]::new),
                annotation.database(),
                annotation.domain(),
                annotation.author(),
                Timestamp.from(annotation.createdAt()));
    }

    /** Deletes an annotation and returns it; empty if there is none. */
    Optional<Annotation> remove(UUID id) {
        return jdbc
                .query("delete from annotation where id = ? returning *", (row, number) -> annotation(row), id)
                .stream()
                .findFirst();
    }

    /** At most {@code limit} annotations after a place, newest first. */
    List<Annotation> find(AnnotationFilter filter, @Nullable AnnotationPlace after, int limit) {
        StringBuilder sql = new StringBuilder("select * from annotation where true");
        List<Object> values = new ArrayList<>();
        if (filter.domain() != null) {
            sql.append(" and (domain = ? or (domain is null and (database is null or database = ?)))");
            values.add(filter.domain());
            values.add(Objects.requireNonNullElse(filter.database(), ""));
        }
        where(sql, values, " and kind = ?", filter.kind());
        where(sql, values, " and time >= ?", filter.from() == null ? null : Timestamp.from(filter.from()));
        where(sql, values, " and time < ?", filter.to() == null ? null : Timestamp.from(filter.to()));
        if (after != null) {
            sql.append(" and (time, id) < (?, ?)");
            values.add(Timestamp.from(after.time()));
            values.add(after.id());
        }
        sql.append(" order by time desc, id desc limit ").append(limit);
        return jdbc.query(sql.toString(), (row, number) -> annotation(row), values.toArray());
    }

    /** Deletes annotations of before {@code before}, and of the rest all except the newest {@code most}. */
    int prune(Instant before, int most) {
        return jdbc.update("delete from annotation where time < ?", Timestamp.from(before)) + jdbc.update("""
                        delete from annotation where (time, id) <=
                          (select time, id from annotation order by time desc, id desc offset ? limit 1)
                        """, most);
    }

    private static Annotation annotation(ResultSet row) throws SQLException {
        Array tags = row.getArray("tags");
        return new Annotation(
                row.getString("id"),
                row.getTimestamp("time").toInstant(),
                row.getString("kind"),
                row.getString("text"),
                List.of((String[]) tags.getArray()),
                row.getString("database"),
                row.getString("domain"),
                row.getString("author"),
                row.getTimestamp("created_at").toInstant());
    }

    private static void where(StringBuilder sql, List<Object> values, String condition, @Nullable Object value) {
        if (value != null) {
            sql.append(condition);
            values.add(value);
        }
    }
}
