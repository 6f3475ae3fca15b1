"""psycopg 3 through the wire port."""

import contextlib
import asyncio
import datetime
import decimal
import threading
import uuid

import psycopg
import pytest
from psycopg.types.json import Jsonb

NOON = datetime.datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
BIG = 2**62 + 1


@pytest.mark.parametrize("prepare", [False, True])
@pytest.mark.parametrize("binary", [False, True])
def test_values_come_back_as_they_went(prepare, binary):
    values = [
        BIG,
        "grüß 'dich' \\ \n",
        bytes(range(256)),
        decimal.Decimal("1.50"),
        NOON,
        [1, None, 3],
        ["a", None, 'q"uote,'],
        {"a": [1, None, "ü"]},
        uuid.UUID(int=7),
        0.1,
        True,
        datetime.timedelta(days=3, seconds=5),
        None,
    ]
    types = "int8 text bytea numeric timestamptz int4[] text[] jsonb uuid float8 bool interval int4".split()
    query = "select " + ", ".join(f"%s::{each}" for each in types)
    sent = [Jsonb(each) if isinstance(each, dict) else each for each in values]
    with psycopg.connect() as client:
        for _ in range(3):
            with client.cursor(binary=binary) as cursor:
                row = cursor.execute(query, sent, prepare=prepare).fetchone()
            assert list(row) == values
            client.commit()


def test_a_megabyte_goes_both_ways():
    much = bytes(range(256)) * 4096 * 3
    with psycopg.connect() as client:
        for binary in (False, True):
            with client.cursor(binary=binary) as cursor:
                assert cursor.execute("select %b::bytea", [much]).fetchone()[0] == much


def test_an_error_has_its_state_and_ends_nothing_else(table):
    table("psycopg_errors", "id int constraint psycopg_positive check (id > 0)")
    with psycopg.connect(autocommit=True) as client:
        for prepare in (False, True):
            with pytest.raises(psycopg.errors.DivisionByZero) as division:
                client.execute("select 1 / %s::int", [0], prepare=prepare)
            assert division.value.sqlstate == "22012"
            with pytest.raises(psycopg.errors.CheckViolation) as check:
                client.execute("insert into psycopg_errors values (%s)", [-1], prepare=prepare)
            assert check.value.diag.constraint_name == "psycopg_positive"
            with pytest.raises(psycopg.errors.SyntaxError):
                client.execute("selekt %s", [1], prepare=prepare)
            assert client.execute("select %s::int", [4], prepare=prepare).fetchone() == (4,)


def test_transactions_and_savepoints(table):
    table("psycopg_rows", "id int")
    with psycopg.connect(autocommit=True) as client:
        with client.transaction():
            client.execute("insert into psycopg_rows values (1)")
            with pytest.raises(psycopg.errors.DivisionByZero):
                with client.transaction():
                    client.execute("insert into psycopg_rows values (2)")
                    client.execute("select 1/0")
            client.execute("insert into psycopg_rows values (3)")
        with pytest.raises(ZeroDivisionError):
            with client.transaction():
                client.execute("insert into psycopg_rows values (4)")
                raise ZeroDivisionError
        assert client.execute("select array_agg(id order by id) from psycopg_rows").fetchone() == ([1, 3],)
    with psycopg.connect() as client:
        client.execute("insert into psycopg_rows values (5)")
        with pytest.raises(psycopg.errors.UndefinedTable):
            client.execute("select * from psycopg_nowhere")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            client.execute("select 1")
        client.rollback()
        assert client.execute("select count(*) from psycopg_rows").fetchone() == (2,)


def test_prepared_statements_follow_to_every_connection(hold):
    with psycopg.connect(autocommit=True) as client:
        query = "select pg_backend_pid(), %s::int + 1"
        backends = hold()
        for round in range(3):
            for backend in backends:
                with backends.only(backend):
                    assert client.execute(query, [round], prepare=True).fetchone() == (backend, round + 1)
        assert client._prepared._names, "the driver has prepared it"


def test_statements_that_the_driver_gives_up_leave_the_others(hold):
    with psycopg.connect(autocommit=True) as client:
        client.prepared_max = 3
        backends = hold()
        for round in range(4):
            for backend in backends:
                with backends.only(backend):
                    for n in range(5):
                        assert client.execute(f"select {n} + %s::int", [round], prepare=True).fetchone() == (n + round,)


def test_deallocate_of_one_statement_leaves_the_others():
    with psycopg.connect(autocommit=True) as client:
        kept, dropped = "select %s::int + 1", "select %s::int + 2"
        for query in (kept, dropped):
            client.execute(query, [1], prepare=True)
        names = [name.decode() for name in client._prepared._names.values()]
        assert len(names) == 2
        client.execute(f"DEALLOCATE {names[1]}")
        assert client.execute(kept, [5], prepare=True).fetchone() == (6,)
        with pytest.raises(psycopg.errors.InvalidSqlStatementName):
            client.execute(dropped, [5], prepare=True)
        assert client.execute("DEALLOCATE ALL").statusmessage == "DEALLOCATE ALL"
        # by which the driver knows that it is to prepare again
        assert client.execute(kept, [5], prepare=True).fetchone() == (6,)


@pytest.mark.parametrize("format", ["text", "binary"])
def test_copies_in_and_out(table, format):
    table("psycopg_copied", "id int8, filler text")
    rows = [(n, f"row {n} " + "x" * (n % 100)) for n in range(20_000)] + [(BIG, None)]
    with psycopg.connect() as client, client.cursor() as cursor:
        with cursor.copy(f"copy psycopg_copied from stdin (format {format})") as copy:
            copy.set_types(["int8", "text"])
            for row in rows:
                copy.write_row(row)
        assert cursor.rowcount == len(rows)
        with cursor.copy(f"copy (select * from psycopg_copied order by id) to stdout (format {format})") as copy:
            copy.set_types(["int8", "text"])
            assert list(copy.rows()) == rows
        client.commit()


def test_a_copy_that_fails_leaves_a_usable_connection(table):
    table("psycopg_refused", "id int")
    with psycopg.connect(autocommit=True) as client, client.cursor() as cursor:
        with pytest.raises(psycopg.errors.InvalidTextRepresentation):
            with cursor.copy("copy psycopg_refused from stdin") as copy:
                copy.write("1\n")
                for _ in range(20_000):
                    copy.write("no number\n")
        with pytest.raises(ZeroDivisionError):
            with cursor.copy("copy psycopg_refused from stdin") as copy:
                copy.write("2\n")
                raise ZeroDivisionError
        assert cursor.execute("select count(*) from psycopg_refused").fetchone() == (0,)


def test_cancels_what_runs(until_active):
    with psycopg.connect(autocommit=True) as client:
        canceller = threading.Thread(target=lambda: (until_active("psycopg cancels"), client.cancel_safe()))
        canceller.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            client.execute("select pg_sleep(60) /* psycopg cancels */")
        canceller.join()
        assert client.execute("select 1").fetchone() == (1,)


def test_a_statement_timeout_ends_the_statement():
    with psycopg.connect(autocommit=True, options="-c statement_timeout=50") as client:
        with pytest.raises(psycopg.errors.QueryCanceled):
            client.execute("select pg_sleep(60)")
        assert client.execute("show statement_timeout").fetchone() == ("50ms",)


def test_pipelines(table):
    table("psycopg_pipelined", "id int primary key")
    with psycopg.connect(autocommit=True) as client:
        with client.pipeline():
            answers = [client.execute("select %s::int * 2, repeat('x', 1000)", [n]) for n in range(500)]
        assert [answer.fetchone()[0] for answer in answers] == [n * 2 for n in range(500)]
        with client.pipeline() as pipeline:
            for round in range(3):
                client.execute("insert into psycopg_pipelined values (%s)", [round])
                assert client.execute("select count(*) from psycopg_pipelined").fetchone() == (round + 1,)
            pipeline.sync()
            with client.transaction():
                client.cursor().executemany("insert into psycopg_pipelined values (%s)", [(n,) for n in range(10, 2000)])
        assert client.execute("select count(*) from psycopg_pipelined").fetchone() == (1993,)


def test_an_error_in_a_pipeline_ends_its_part(table):
    table("psycopg_aborted", "id int primary key")
    with psycopg.connect(autocommit=True) as client:
        with client.pipeline() as pipeline:
            client.execute("insert into psycopg_aborted values (1)")
            duplicate = client.execute("insert into psycopg_aborted values (1)")
            with pytest.raises(psycopg.errors.UniqueViolation):  # told at once: by the next statement or by the sync
                client.execute("insert into psycopg_aborted values (2)")
                pipeline.sync()
            assert duplicate.pgresult is None or duplicate.pgresult.status != psycopg.pq.ExecStatus.COMMAND_OK
            with contextlib.suppress(psycopg.errors.Error):  # where it has not been synced yet
                pipeline.sync()
            client.execute("insert into psycopg_aborted values (3)")
        assert client.execute("select array_agg(id) from psycopg_aborted").fetchone() == ([3],)


def test_a_pipeline_without_a_sync_keeps_its_connection(hold):
    """What was sent before a Sync is one transaction: nobody else may come in between."""
    table_name = "psycopg_unsynced"
    one, other = backends = hold()
    with psycopg.connect(autocommit=True) as client, psycopg.connect(autocommit=True) as rival:
        with backends.only(one), client.pipeline():
            client.execute(f"create table {table_name} (id int)")
            assert client.execute("select pg_backend_pid()").fetchone() == (one,)  # fetched by a Flush
            with backends.only(other):
                assert rival.execute("select to_regclass(%s)", [table_name]).fetchone() == (None,)
                assert rival.execute("select pg_backend_pid()").fetchone() == (other,)
            client.execute(f"drop table {table_name}")


def test_settings_follow_the_client_and_nobody_else(hold):
    with (
        psycopg.connect(
            autocommit=True, application_name="psycopg's", options="-c search_path=pg_catalog -c timezone=Asia/Tokyo"
        ) as client,
        psycopg.connect(autocommit=True) as other,
    ):
        assert client.info.parameter_status("TimeZone") == "Asia/Tokyo"
        client.execute("set work_mem = '7MB'")
        client.execute("set datestyle to 'SQL, DMY'")
        names = ["application_name", "search_path", "TimeZone", "work_mem", "DateStyle"]
        query = "select " + ", ".join(f"current_setting('{name}')" for name in names)
        theirs = other.execute(query).fetchone()
        backends = hold()
        for _ in range(2):
            for backend in backends:
                with backends.only(backend):
                    assert client.execute(query).fetchone() == (
                        "psycopg's",
                        "pg_catalog",
                        "Asia/Tokyo",
                        "7MB",
                        "SQL, DMY",
                    )
                    assert other.execute(query).fetchone() == theirs
        with backends.only(next(iter(backends))):
            client.execute("reset all")
        for backend in backends:
            with backends.only(backend):
                assert client.execute("show search_path").fetchone() == ("pg_catalog",), "that of the startup message"
                assert client.execute("show work_mem").fetchone() == ("4MB",)


def test_a_set_that_is_prepared_counts_whenever_it_is_executed(hold):
    backends = hold()
    one = next(iter(backends))
    with psycopg.connect(autocommit=True) as client, psycopg.connect(autocommit=True) as stranger:
        for n in range(2):
            for zone in ("Asia/Tokyo", "Europe/Rome"):
                with backends.only(one):
                    client.execute(f"set timezone to '{zone}'", prepare=True)
                    client.execute(f"set work_mem to '{5 + len(zone)}MB'", prepare=True)
                for backend in backends:
                    with backends.only(backend):
                        assert client.execute("show timezone").fetchone() == (zone,)
                        assert client.execute("show work_mem").fetchone() == (f"{5 + len(zone)}MB",)
                        assert stranger.execute("show work_mem").fetchone() == ("4MB",)


def test_a_set_is_undone_with_its_transaction_or_savepoint(hold):
    with psycopg.connect(autocommit=True) as client, psycopg.connect(autocommit=True) as stranger:
        with pytest.raises(ZeroDivisionError):
            with client.transaction():
                client.execute("set work_mem = '9MB'")
                raise ZeroDivisionError
        with client.transaction():
            client.execute("set work_mem = '8MB'")
            with pytest.raises(psycopg.errors.DivisionByZero):
                with client.transaction():
                    client.execute("set work_mem = '7MB'")
                    client.execute("set statement_timeout = '7s'")
                    client.execute("select 1/0")
        backends = hold()
        for backend in backends:
            with backends.only(backend):
                assert client.execute("show work_mem").fetchone() == ("8MB",)
                assert client.execute("show statement_timeout").fetchone() == ("0",)
                assert stranger.execute("show work_mem").fetchone() == ("4MB",)


def test_discard_all_leaves_nothing_behind(hold):
    with psycopg.connect(autocommit=True) as client, psycopg.connect(autocommit=True) as stranger:
        backends = hold()
        for backend in backends:
            with backends.only(backend):
                client.execute("set search_path to pg_catalog")
                assert client.execute("discard all").statusmessage == "DISCARD ALL"
                assert client.execute("show search_path").fetchone() == ('"$user", public',)
                assert stranger.execute("show search_path").fetchone() == ('"$user", public',)


def test_cursors_of_the_server(table):
    with psycopg.connect() as client:
        with client.cursor("named", scrollable=True) as cursor:
            cursor.execute("select n from generate_series(1, %s) n", [1000])
            cursor.itersize = 100
            assert [n for (n,) in cursor] == list(range(1, 1001))
        with client.cursor() as cursor:
            assert [n for (n,) in cursor.stream("select n from generate_series(1, %s) n", [1000])] == list(range(1, 1001))


def test_notifications_reach_who_listens_and_is_idle():
    with psycopg.connect(autocommit=True) as listener, psycopg.connect(autocommit=True) as speaker:
        listener.execute("listen psycopg_news")
        for n in range(3):
            speaker.execute("select pg_notify('psycopg_news', %s)", [str(n)])
            heard = list(listener.notifies(timeout=20, stop_after=1))
            assert [each.payload for each in heard] == [str(n)]
        assert listener.execute("select 1").fetchone() == (1,)


def test_twenty_clients_share_two_connections(table):
    table("psycopg_accounts", "id int primary key, balance int8 not null")

    async def client(me):
        async with await psycopg.AsyncConnection.connect(autocommit=True) as connection:
            connection.prepare_threshold = 2
            await connection.execute("insert into psycopg_accounts values (%s, 0)", [me])
            for n in range(15):
                await connection.execute("update psycopg_accounts set balance = balance + %s where id = %s", [n, me])
                async with connection.transaction():
                    await connection.execute("update psycopg_accounts set balance = 0 where id = %s", [me])
                    raise psycopg.Rollback
                with pytest.raises(psycopg.errors.DivisionByZero):
                    await connection.execute("select 1 / %s::int", [0])
                async with connection.pipeline():
                    answers = [await connection.execute("select %s::int + %s::int", [me, k]) for k in range(5)]
                    assert [(await answer.fetchone())[0] for answer in answers] == [me + k for k in range(5)]
                cursor = connection.cursor()
                async with cursor.copy("copy (select * from generate_series(1, 100)) to stdout") as copy:
                    assert len([line async for line in copy]) == 100
            balance = await connection.execute("select balance from psycopg_accounts where id = %s", [me])
            assert await balance.fetchone() == (sum(range(15)),)

    async def all_of_them():
        await asyncio.gather(*(client(me) for me in range(20)))

    asyncio.run(all_of_them())
