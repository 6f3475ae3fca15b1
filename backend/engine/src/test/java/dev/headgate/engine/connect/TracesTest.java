package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TracesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "select 1",
                " \n(SELECT a FROM b) UNION (SELECT 2)",
                "update t set a = 'x, y' where b = ?",
                "INSERT INTO readings (temperature) VALUES (1)",
                "-- a note\n/* another */ select 1 -- and one",
                "/* only a note */",
                "{ ? = call upper(?) }",
                "begin; update t set a = 1; commit;",
                "select pg_advisory_xact_lock(1)"
            })
    void leavesNothing(String sql) {
        assertThat(Traces.mayBeLeftBy(sql)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET ROLE clerk",
                "select 1; set search_path to a",
                "select ';/*'; set search_path to a --*/",
                "/* /* */ */ set role clerk",
                "CREATE TEMP TABLE t (id int)",
                "select 1 as a into temporary x",
                "create table pg_temp.t (id int)",
                "insert into t select 1 from pg_temp_3.x",
                "select pg_advisory_lock(1)",
                "select pg_try_advisory_lock_shared(1)",
                "select set_config('a.b', 'c', false)",
                "-- as clerk\rSET ROLE clerk",
                "update pg_settings set setting = 'x' where name = 'search_path'",
                "select U&\"pg_\\0061dvisory_lock\"(1)",
                "LISTEN news",
                "PREPARE p AS SELECT 1",
                "declare c cursor with hold for select 1",
                "do $$ begin end $$"
            })
    void mayLeaveSomething(String sql) {
        assertThat(Traces.mayBeLeftBy(sql)).isTrue();
    }
}
