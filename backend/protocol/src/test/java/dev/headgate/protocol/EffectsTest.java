package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EffectsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1",
                "update accounts set balance = 1 where id = 2",
                "SET LOCAL work_mem = '1MB'",
                "set transaction isolation level serializable",
                "begin",
                "select pg_advisory_xact_lock(1)",
                "insert into temp_readings values (1)",
                "prepare transaction 'x'",
                "select set_config('a.b', $1, true), set_config('a.c', '2', 't')",
                "discard plans",
                "SET transaction_read_only = on",
                "set session transaction_isolation to 'serializable'",
                "reset transaction_deferrable",
                "select set_config('transaction_read_only', 'on', false)",
                "insert into notes values ('; set work_mem = 1'); update t set a = 'listen; b'",
                "create function f() returns void language sql as $$ set work_mem = '1MB'; $$"
            })
    void leavesNothing(String sql) {
        Effects effects = Effects.of(sql);
        assertThat(effects.settings()).isEmpty();
        assertThat(effects.pinnedBy()).isEmpty();
        assertThat(effects.deallocates() || effects.resetsAll()).isFalse();
    }

    @Test
    void aBlockOfCodeMayLeaveAnything() {
        assertThat(Effects.of("/* a */ do $$ begin end $$").runsCode()).isTrue();
        assertThat(Effects.of("select 1; DO LANGUAGE plpgsql 'begin end'").runsCode())
                .isTrue();
        assertThat(Effects.of("do $$ begin end $$").isNothing()).isFalse();
        assertThat(Effects.of("insert into t values (1) on conflict do nothing").isNothing())
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LISTEN news",
                "create temp table t (id int)",
                "CREATE TEMPORARY VIEW v AS SELECT 1",
                "select 1 as a into temp x",
                "PREPARE p AS SELECT 1",
                "declare c cursor with hold for select 1",
                "select pg_advisory_lock(1)",
                "select pg_try_advisory_lock_shared(1)",
                "LOAD 'auto_explain'",
                "set session authorization app",
                "select 'a'';'; listen news",
                " \n;/* of /* several */ */ -- words\n listen news",
                "select set_config($1, 'x', false)",
                "set seed = 0.5",
                "select set_config('seed', '0.5', false)",
                "select set_config('a.b', 'x', $1)",
                "select set_config('a.b', '1', true), set_config('a.c', a || 'b', false)"
            })
    void pins(String sql) {
        assertThat(Effects.of(sql).pinnedBy()).isPresent();
    }

    @Test
    void onlyDiscardAllTakesTheRoleAway() {
        assertThat(Effects.of("set role r; set work_mem = 1; reset all").settings())
                .containsOnlyKeys("role");
        assertThat(Effects.of("reset all; deallocate all").discardsAll()).isFalse();
        assertThat(Effects.of("discard all").discardsAll()).isTrue();
    }

    @Test
    void settingsAreTakenAsTheyWereWritten() {
        assertThat(Effects.of("SET Work_Mem = '7MB';").settings())
                .isEqualTo(Map.of("work_mem", "SET Work_Mem = '7MB'"));
        assertThat(Effects.of("set session search_path to a, \"B\"").settings()).containsOnlyKeys("search_path");
        assertThat(Effects.of("SET TIME ZONE 'UTC'").settings()).containsOnlyKeys("timezone");
        assertThat(Effects.of("SET NAMES utf8").settings()).containsOnlyKeys("client_encoding");
        assertThat(Effects.of("set a.b to 1; set c = 2; select 3").settings()).containsOnlyKeys("a.b", "c");
        assertThat(Effects.of("reset work_mem").settings()).isEqualTo(Map.of("work_mem", ""));
        assertThat(Effects.of("RESET ALL").resetsAll()).isTrue();
        assertThat(Effects.of("DISCARD ALL")).satisfies(effects -> {
            assertThat(effects.resetsAll()).isTrue();
            assertThat(effects.deallocates()).isTrue();
        });
        assertThat(Effects.of("deallocate all").deallocates()).isTrue();
        assertThat(Effects.of("deallocate S1").deallocated()).contains("s1");
        assertThat(Effects.of("DEALLOCATE PREPARE \"S1\"").deallocated()).contains("S1");
        assertThat(Effects.of("set work_mem to default").settings()).isEqualTo(Map.of("work_mem", ""));
        assertThat(Effects.of("select $x$;$x$, ';' -- ;\n; set work_mem = '1;2'; reset a.b")
                        .settings())
                .isEqualTo(Map.of("work_mem", "set work_mem = '1;2'", "a.b", ""));
        assertThat(Effects.of("SELECT pg_catalog.set_config('search_path', '', false);")
                        .settings())
                .isEqualTo(Map.of("search_path", "SELECT pg_catalog.set_config('search_path', '', false)"));
        Effects called = Effects.of(
                "select 1, SET_CONFIG('a.b', '1', true), set_config('a.C', 'It''s', 'f'), set_config('d', $2::text, false)");
        assertThat(called.settings()).isEqualTo(Map.of("a.c", "SELECT pg_catalog.set_config('a.c', 'It''s', false)"));
        assertThat(called.parameters()).isEqualTo(Map.of("d", 2));
        assertThat(called.pinnedBy()).isEmpty();
        assertThat(Effects.of("-- a note, more\n/* and * more */ set a = 1").settings())
                .isEqualTo(Map.of("a", "set a = 1"));
    }

    @Test
    void statementsAreReplacedAmongOthers() {
        String sql = "select ';' ; DEALLOCATE all; /* ; */ select 2;";
        assertThat(Effects.replaced(sql, one -> one.deallocates() ? Optional.of("DISCARD PLANS") : Optional.empty()))
                .isEqualTo("select ';'; DISCARD PLANS; /* ; */ select 2");
        assertThat(Effects.of(sql)).satisfies(effects -> {
            assertThat(effects.statements()).isEqualTo(3);
            assertThat(effects.deallocates()).isTrue();
        });
        assertThat(Effects.of("deallocate a; deallocate \"B\"").deallocated()).containsExactlyInAnyOrder("a", "B");
    }
}
