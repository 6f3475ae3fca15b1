package dev.headgate.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Many texts and what each leaves, one a line; \n in a line is an end of line in the text. */
class GoldenEffectsTest {

    private static final String TABLE = """
            -- nothing
            select 1                                                        => -
            SELECT * FROM t WHERE set = 1                                   => -
            update t set work_mem = 1                                       => -
            insert into temp values (1)                                     => -
            insert into temp_readings select * from temporary_x             => -
            merge into temp using s on true when matched then delete        => -
            begin; commit                                                   => -
            fetch 10 from c                                                 => -
            move 10 in c                                                    => -
            close all                                                       => -
            declare c cursor for select 1                                   => -
            declare c no scroll cursor without hold for select 1            => -
            declare c cursor for select 'x with hold'                       => -
            execute p(1)                                                    => -
            unlisten *                                                      => -
            notify news                                                     => -
            prepare transaction 'x'                                         => -
            commit prepared 'x'                                             => -
            discard plans                                                   => -
            discard temp                                                    => -
            discard sequences                                               => -
            copy t from program 'ls'                                        => -
            copy t to stdout                                                => -
            do $$ begin perform pg_advisory_lock(1); end $$                 => -
            select pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(2)   => -
            select pg_advisory_unlock_all()                                 => -
            select 1 as temp, 2 temporary from temp                         => -
            drop table if exists pg_temp.t                                  => defines
            select * from pg_temp.t                                         => -
            alter system set work_mem = '1MB'                               => defines
            alter role a set work_mem = '1MB'                               => defines
            set local work_mem = '1MB'                                      => -
            SET LOCAL TIME ZONE 'UTC'                                       => -
            set local role bob                                              => -
            set local x.y from current                                      => -
            set transaction isolation level serializable                    => -
            set transaction snapshot 'x'                                    => -
            set constraints all deferred                                    => -
            reset transaction isolation level                               => -
            deallocate                                                      => -

            -- savepoints
            savepoint a                                                     => savepoint a
            SAVEPOINT "A b"                                                 => savepoint A b
            release a                                                       => release a
            RELEASE SAVEPOINT A;                                            => release a
            release savepoint                                               => release savepoint
            release savepoint savepoint                                     => release savepoint
            rollback to a                                                   => roll back to a
            /* x */ ROLLBACK WORK TO SAVEPOINT "a"                          => roll back to a
            rollback transaction to savepoint to                            => roll back to to
            rollback                                                        => -
            rollback work                                                   => -
            rollback and chain                                              => -
            abort                                                           => -
            rollback prepared 'to a'                                        => -
            begin; savepoint a; select 1                                    => savepoint a
            select 1 as savepoint, 2 as rollback, 3 as release              => -

            -- temporary objects that end with their transaction
            create temp table t (id int) on commit drop                     => defines
            CREATE TEMPORARY TABLE t ON COMMIT DROP AS SELECT 1             => defines
            create table pg_temp.t (id int) on commit/* */drop              => defines
            create temp table t (id int) on commit drop; create temp table u (id int) => pin a temporary table, defines
            create temp table t (id int) on commit delete rows              => pin a temporary table, defines
            create temp table t (id int) on commit preserve rows            => pin a temporary table, defines
            create temp table t (n) as select 'on commit drop'              => pin a temporary table, defines
            create temp table t (n) as select 1 from a join b on commit     => pin a temporary table, defines

            -- temporary objects
            create temp table t (id int)                                    => pin a temporary table, defines
            CREATE TEMPORARY TABLE t AS SELECT 1                            => pin a temporary table, defines
            create\\ntemp\\ttable t ()                                        => pin a temporary table, defines
            create/* a */temp -- b\\n view v as select 1                     => pin a temporary table, defines
            create local temp sequence s                                    => pin a temporary table, defines
            create global temporary table t ()                              => pin a temporary table, defines
            create or replace temp view v as select 1                       => pin a temporary table, defines
            create or replace local temporary view v as select 1            => pin a temporary table, defines
            create temp recursive view v (n) as select 1                    => pin a temporary table, defines
            explain analyze create temp table t as select 1                 => pin a temporary table
            create table pg_temp.t (id int)                                 => pin a temporary table, defines
            CREATE TABLE PG_TEMP . t (id int)                               => pin a temporary table, defines
            create table if not exists "pg_temp"./* */t (id int)            => pin a temporary table, defines
            create table "pg_temp_3"."t" (id int)                           => pin a temporary table, defines
            create table U&"pg\\005ftemp".t (id int)                         => pin a temporary table, defines
            create table U&"pg!005ftemp" uescape '!'.t (id int)             => pin a temporary table, defines
            create view pg_temp.v as select 1                               => pin a temporary table, defines
            create sequence pg_temp.s                                       => pin a temporary table, defines
            create function pg_temp.f() returns int language sql as 'select 1' => pin a temporary table, defines
            create type pg_temp.p as (a int)                                => pin a temporary table, defines
            create table "PG_TEMP".t (id int)                               => defines
            create table pg_temp_t (id int)                                 => defines
            create table "pg_temp.t" (id int)                               => defines
            create table temp (id int)                                      => defines
            create table t (temp int, temporary int)                        => defines
            create index temp on t (x)                                      => defines
            create function f() returns int language sql set search_path = a, pg_temp as 'select 1' => defines
            select 1 as a into temp x                                       => pin a temporary table, defines
            select 1 as a into temporary table x                            => pin a temporary table, defines
            select * into\\n/* x */local temp x from y                       => pin a temporary table, defines
            select * into pg_temp.x from y                                  => pin a temporary table, defines
            with a as (select 1) select * into temp x from a                => pin a temporary table, defines
            select * into x from y                                          => defines
            with a as (insert into temp select 1 returning *) select 1      => -
            select 'create temp table t ()'                                 => -
            /* create temp table t () */ select 1                           => -
            -- create temp table t ()                                       => -
            select "create temp table t"                                    => -

            -- what belongs to a session
            LISTEN news                                                     => pin LISTEN
            listen "News"                                                   => pin LISTEN
            select 1; /* a */ listen news                                   => pin LISTEN
            prepare p as select 1                                           => pin PREPARE
            PREPARE "P"(int) AS SELECT $1                                   => pin PREPARE
            prepare transaction as select 1                                 => pin PREPARE
            load 'auto_explain'                                             => pin LOAD
            declare c cursor with hold for select 1                         => pin a cursor WITH HOLD
            DECLARE "c" INSENSITIVE SCROLL CURSOR\\nWITH /* */ HOLD FOR SELECT 1 => pin a cursor WITH HOLD
            declare c cursor for select pg_advisory_lock(1)                 => pin an advisory lock of the session
            select pg_advisory_lock(1)                                      => pin an advisory lock of the session
            select PG_CATALOG . PG_ADVISORY_LOCK (1, 2)                     => pin an advisory lock of the session
            select "pg_advisory_lock_shared"(1)                             => pin an advisory lock of the session
            select pg_try_advisory_lock(1)                                  => pin an advisory lock of the session
            select U&"pg_advisory\\005flock"(1)                              => pin an advisory lock of the session
            explain analyze select pg_try_advisory_lock_shared(1)           => pin an advisory lock of the session
            select "PG_ADVISORY_LOCK"(1)                                    => -
            update pg_settings set setting = '64kB' where name = 'work_mem' => pin UPDATE of pg_settings
            UPDATE ONLY ( pg_catalog . "pg_settings" ) set setting = 'x'    => pin UPDATE of pg_settings
            explain analyze update U&"pg_\\0073ettings" s set setting = 'x' => pin UPDATE of pg_settings
            with x as (update pg_settings set setting = 'x' returning 1) select 1 => pin UPDATE of pg_settings
            select * from pg_settings for update                            => -
            select setting from pg_settings where name = 'x'                => -
            update t set setting = s.setting from pg_settings s             => -
            update s.pg_settings set setting = 'x'                          => -
            select 'pg_advisory_lock(1)', $$pg_advisory_lock(1)$$           => -

            -- settings
            set work_mem = '1MB'                                            => set work_mem
            SET"Work_Mem"TO 1                                               => set work_mem
            set session work_mem to 1                                       => set work_mem
            set/**/session/**/work_mem/**/to/**/1                           => set work_mem
            /* SET x */ SET\\nwork_mem\\n=\\n1                                 => set work_mem
            set a.b = 1                                                     => set a.b
            set a . "B" . c = 1                                             => set a.b.c
            set local.a = 1                                                 => set local.a
            set session.a = 1                                               => set session.a
            set work_mem to default                                         => reset work_mem
            set work_mem = DEFAULT                                          => reset work_mem
            set search_path = a, "B", 'c'                                   => set search_path
            set schema 'a'                                                  => set search_path
            set search_path = pg_temp, a                                    => set search_path, pin a temporary table
            set search_path = a, pg_temp                                    => set search_path
            select set_config('search_path', 'pg_temp', false)              => set search_path, pin a temporary table
            set time zone 'UTC'                                             => set timezone
            set session time\\nzone interval '1' hour to minute              => set timezone
            set time zone -7                                                => set timezone
            set time zone local                                             => reset timezone
            set time zone default                                           => reset timezone
            set timezone = 'UTC'                                            => set timezone
            set TimeZone to local                                           => reset timezone
            set names 'utf8'                                                => set client_encoding
            set names                                                       => reset client_encoding
            set names default                                               => reset client_encoding
            set xml option document                                         => set xmloption
            set role bob                                                    => set role
            set session role "Bob"                                          => set role
            set role to 'bob'                                               => set role
            set role = bob                                                  => set role
            set role none                                                   => set role
            reset role                                                      => reset role
            set session authorization bob                                   => pin SET that cannot be repeated elsewhere
            SET SESSION  AUTHORIZATION 'bob'                                => pin SET that cannot be repeated elsewhere
            set session_authorization = 'bob'                               => pin SET that cannot be repeated elsewhere
            set session authorization default                               => reset role
            reset session authorization                                     => reset role
            reset session_authorization                                     => reset role
            set session characteristics as transaction read only            => pin SET that cannot be repeated elsewhere
            set x from current                                              => pin SET that cannot be repeated elsewhere
            set session x.y from current                                    => pin SET that cannot be repeated elsewhere
            set work_mem                                                    => pin SET that cannot be repeated elsewhere
            set 1 = 2                                                       => pin SET that cannot be repeated elsewhere
            reset work_mem                                                  => reset work_mem
            RESET "A".b                                                     => reset a.b
            reset time zone                                                 => reset timezone
            reset all                                                       => reset all
            set a.b = 1; reset all; set c.d = 1                             => set c.d, reset all
            reset 1                                                         => pin RESET that cannot be repeated elsewhere
            set a.b = 1; set c = 2; select 3                                => set a.b, set c
            select 1; set a.b = ';'                                         => set a.b

            -- set_config
            select set_config('a.b', '1', false)                            => set a.b
            select pg_catalog.set_config('a.B', '1', false)                 => set a.b
            select "set_config"/* */('a.b','1','f'::bool)                   => set a.b
            select set_config('a.b', E'1\\\\n', false)                         => set a.b
            select set_config('a.b', $$1$$, false)                          => set a.b
            select set_config('a.b', '1'::text, 'off')                      => set a.b
            select set_config('a.b', '1', true)                             => -
            select set_config('a.b', $1, 't'::boolean)                      => -
            select set_config('a.b', $1, false)                             => parameter a.b=1
            select set_config('a.b', $12::text, false)                      => parameter a.b=12
            select set_config('a.b', '1', $1)                               => pin set_config that cannot be repeated elsewhere
            select set_config($1, '1', false)                               => pin set_config that cannot be repeated elsewhere
            select set_config('a.b', 'x' || 'y', false)                     => pin set_config that cannot be repeated elsewhere
            select set_config('a.b', '\\', false)                            => pin set_config that cannot be repeated elsewhere
            select set_config('a b', '1', false)                            => pin set_config that cannot be repeated elsewhere
            select set_config('a.b', set_config('a.c', '1', false), false)  => set a.c, pin set_config that cannot be repeated elsewhere
            select set_config(                                              => pin set_config that cannot be repeated elsewhere
            select set_config from t                                        => -
            select U&"set!005fconfig" uescape '!'('a.b', '1', false)        => pin set_config that cannot be repeated elsewhere
            select 'set_config(''a'', $1, false)'                           => -

            -- prepared statements
            deallocate all                                                  => deallocate all
            DEALLOCATE PREPARE ALL                                          => deallocate all
            deallocate S1                                                   => deallocate s1
            deallocate/**/prepare/**/s1                                     => deallocate s1
            deallocate "S1"                                                 => deallocate S1
            deallocate prepare "a ""b"" c"                                  => deallocate a "b" c
            deallocate "all"                                                => deallocate all by name
            deallocate prepare                                              => deallocate prepare
            deallocate U&"S\\0031"                                           => deallocate S1
            discard all                                                     => reset all, deallocate all
            DISCARD\\n/**/ALL                                                => reset all, deallocate all

            -- literals that PostgreSQL reads as the present
            select 'now'::timestamp                                         => volatile
            select timestamp 'Today 12:00'                                  => volatile
            select date 'TOMORROW', 'x'                                     => volatile
            select 'x', 'yesterday'::date                                   => volatile
            select $$now$$::timestamp                                       => volatile
            select $a$now$a$::timestamp                                     => volatile
            select E'now\\\\n'::timestamp                                      => volatile
            select E'\\\\nnow'::timestamp                                      => volatile
            select E'n\\\\x6fw'::timestamp                                     => volatile
            select E'n\\\\ow'::timestamp                                       => volatile
            select U&'n\\006fw'::timestamp                                   => volatile
            select 'no'\\n'w'::timestamp                                     => volatile
            set a.b = 'now'                                                 => set a.b, volatile
            select now(), today from now                                    => -
            select 'nowhere', 'known', "now", 'yesterdays' -- 'now'         => -
            select E'it\\\\'s \\\\\\\\ fine\\\\n', 'it''s'                           => -

            -- what defines
            create table t ()                                               => defines
            select 1; Drop table t                                          => defines
            alter table t add x int                                         => defines
            import foreign schema a from server b into c                    => defines
            select 'create', "drop" from t                                  => -
            grant create on schema s to bob                                 => -

            -- where a statement ends
            select $x$;$x$, ';' -- ;\\n; set a.b = 1                         => set a.b
            select E'\\\\';' ; set a.b = 1                                     => set a.b
            select '\\'; set a.b = 1 --'                                     => set a.b
            select U&'\\'; set a.b = 1 --'                                   => set a.b, volatile
            select 'a'\\n'b;'; listen x                                      => pin LISTEN, volatile
            select e'a' -- c\\n'\\\\'; listen x'                                => volatile
            select $1; listen x; select $1                                  => pin LISTEN
            select a$b$; listen x; select $b$                               => pin LISTEN
            select $a$ $b$ $a; listen x; $ab$ $a $a$                        => -
            select "a;""b"; listen x                                        => pin LISTEN
            select /* /* */ ; listen y */ 1                                 => -
            select 1 */* */ 2; listen x                                     => pin LISTEN
            select 1 @--; x\\n; listen x                                     => pin LISTEN
            select 1 //*; x*/; listen x                                     => pin LISTEN
            create rule r as on insert to t do (notify a; listen b)         => defines
            create function f() returns int begin atomic select 1; listen x; end; select 1          => defines
            create function f() returns int begin atomic select pg_advisory_lock(1); end            => defines
            create or replace procedure f() begin atomic select case when a then 1 end; end; listen x => pin LISTEN, defines
            create function f() returns int begin atomic select t.case, 1 as case; end; listen x    => pin LISTEN, defines
            create function f() returns int return 1; listen x              => pin LISTEN, defines
            create table atomic (id int); begin; listen x; end              => pin LISTEN, defines
            ;;  ; /* */ ; listen x;                                         => pin LISTEN
            """;

    static Stream<Arguments> rows() {
        return TABLE.lines().filter(line -> line.contains(" => ")).map(line -> {
            int arrow = line.lastIndexOf(" => ");
            String sql = line.substring(0, arrow).stripTrailing();
            return Arguments.of(unescaped(sql), line.substring(arrow + 4));
        });
    }

    private static String unescaped(String row) {
        return row.replace("\\\\", "\u0001")
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace('\u0001', '\\');
    }

    @ParameterizedTest
    @MethodSource("rows")
    void leaves(String sql, String expected) {
        assertThat(summary(Effects.of(sql))).isEqualTo(expected);
        byte[] inside = ("x" + sql + "\0x").getBytes(StandardCharsets.UTF_8);
        assertThat(summary(Effects.of(inside, 1, inside.length - 1)))
                .as("in a buffer")
                .isEqualTo(expected);
    }

    static String summary(Effects effects) {
        List<String> found = new ArrayList<>();
        new TreeMap<>(effects.settings())
                .forEach((name, command) -> found.add((command.isEmpty() ? "reset " : "set ") + name));
        effects.parameters().forEach((name, number) -> found.add("parameter " + name + "=" + number));
        if (effects.resetsAll()) {
            found.add("reset all");
        }
        if (effects.deallocates()) {
            found.add("deallocate all");
        }
        effects.deallocated().stream()
                .sorted()
                .forEach(name -> found.add("deallocate " + name + (name.equals("all") ? " by name" : "")));
        effects.pinnedBy().ifPresent(why -> found.add("pin " + why));
        effects.savepoint()
                .ifPresent(each -> found.add(switch (each.deed()) {
                            case SET -> "savepoint ";
                            case RELEASE -> "release ";
                            case ROLL_BACK -> "roll back to ";
                        }
                        + each.name()));
        if (effects.hasVolatileLiteral()) {
            found.add("volatile");
        }
        if (effects.definesOrChanges()) {
            found.add("defines");
        }
        return found.isEmpty() ? "-" : String.join(", ", found);
    }
}
