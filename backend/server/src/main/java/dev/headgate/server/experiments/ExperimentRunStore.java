package dev.headgate.server.experiments;

import dev.headgate.lab.experiment.Report;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The runs' table. Every method blocks on the control store and takes part in the caller's transaction, if there is one. */
@Repository
class ExperimentRunStore {

    private static final String ALL = "select * from experiment_run";
    private static final String WITHOUT_REPORT =
            "select id, experiment, form, run_values, seed, state, started_at, ended_at, started_by, set_up, null as report, problem"
                    + " from experiment_run";

    private final JdbcTemplate jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    ExperimentRunStore(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Adds a run that begins, and returns its id. The one that is given is ignored. */
    long add(ExperimentRun run) {
        return Objects.requireNonNull(jdbc.queryForObject(
                """
                insert into experiment_run (experiment, form, run_values, seed, state, started_at, started_by, set_up)
                values (?, ?, ?::jsonb, ?, ?, ?, ?, ?::jsonb) returning id
                """,
                Long.class,
                run.experiment(),
                run.form(),
                json.writeValueAsString(run.values()),
                run.seed(),
                run.state(),
                Timestamp.from(run.startedAt()),
                run.startedBy(),
                json.writeValueAsString(run.setUp())));
    }

    void measuredOn(long id, ExperimentRun.SetUp setUp) {
        jdbc.update("update experiment_run set set_up = ?::jsonb where id = ?", json.writeValueAsString(setUp), id);
    }

    void ended(long id, String state, Instant at, @Nullable Report report, @Nullable String problem) {
        jdbc.update(
                "update experiment_run set state = ?, ended_at = ?, report = ?::jsonb, problem = ? where id = ?",
                state,
                Timestamp.from(at),
                report == null ? null : json.writeValueAsString(report),
                problem,
                id);
    }

    /** Ends the runs that an earlier process left. Returns how many. */
    int endLeftBehind(String problem, Instant at) {
        return jdbc.update(
                "update experiment_run set state = ?, ended_at = ?, problem = ? where state = ?",
                ExperimentRun.FAILED,
                Timestamp.from(at),
                problem,
                ExperimentRun.RUNNING);
    }

    Optional<ExperimentRun> find(long id) {
        return jdbc.query(ALL + " where id = ?", (row, number) -> run(row), id).stream()
                .findFirst();
    }

    /** At most {@code limit} runs with an id below {@code before}, newest first, without their reports. */
    List<ExperimentRun> list(@Nullable String experiment, long before, int limit) {
        StringBuilder sql = new StringBuilder(WITHOUT_REPORT).append(" where id < ?");
        List<Object> values = new ArrayList<>(List.of(before));
        if (experiment != null) {
            sql.append(" and experiment = ?");
            values.add(experiment);
        }
        sql.append(" order by id desc limit ").append(limit);
        return jdbc.query(sql.toString(), (row, number) -> run(row), values.toArray());
    }

    boolean remove(long id) {
        return jdbc.update("delete from experiment_run where id = ?", id) > 0;
    }

    /** Deletes the oldest runs of an experiment beyond {@code most}. */
    void prune(String experiment, int most) {
        jdbc.update("""
                delete from experiment_run where experiment = ? and id <=
                  (select id from experiment_run where experiment = ? order by id desc offset ? limit 1)
                """, experiment, experiment, most);
    }

    private ExperimentRun run(ResultSet row) throws SQLException {
        Timestamp ended = row.getTimestamp("ended_at");
        String report = row.getString("report");
        Map<String, Double> values = json.readValue(row.getString("run_values"), new TypeReference<>() {});
        return new ExperimentRun(
                row.getLong("id"),
                row.getString("experiment"),
                row.getString("form"),
                values,
                row.getLong("seed"),
                row.getString("state"),
                row.getTimestamp("started_at").toInstant(),
                ended == null ? null : ended.toInstant(),
                row.getString("started_by"),
                json.readValue(row.getString("set_up"), ExperimentRun.SetUp.class),
                report == null ? null : json.readValue(report, Report.class),
                row.getString("problem"));
    }
}
