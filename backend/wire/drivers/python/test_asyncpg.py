"""asyncpg through the wire port."""

import asyncio
import contextlib
import datetime
import decimal
import io
import json
import uuid

import asyncpg
import pytest

NOON = datetime.datetime(2026, 11, 21, 12, 0, 0, 123456, tzinfo=datetime.timezone(datetime.timedelta(hours=5, minutes=30)))
BIG = 2**62 + 1


@contextlib.asynccontextmanager
async def connected(**options):
    client = await asyncpg.connect(**options)
    try:
        yield client
    finally:
        await client.close(timeout=10)


def test_values_come_back_as_they_went():
    values = [
        BIG,
        "grüß 'dich' \\ \n",
        bytes(range(256)),
        decimal.Decimal("1.50"),
        NOON,
        [1, None, 3],
        [["a", None], ["b", "c"]],
        {"a": [1, None, "ü"]},
        uuid.UUID(int=7),
        0.1,
        True,
        datetime.timedelta(days=3, seconds=5),
        asyncpg.Range(1, 5),
        None,
    ]
    types = "int8 text bytea numeric timestamptz int4[] text[] jsonb uuid float8 bool interval int4range int4".split()
    query = "select " + ", ".join(f"${n}::{each}" for n, each in enumerate(types, 1))

    async def test():
        async with connected() as client:
            await client.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
            for _ in range(3):
                assert list(await client.fetchrow(query, *values)) == values
            much = bytes(range(256)) * 4096 * 3
            assert await client.fetchval("select $1::bytea", much) == much

    asyncio.run(test())


def test_types_that_it_must_ask_for(table, hold):
    """Their description is asked for within the preparation, with statements of the driver's own."""
    table("asyncpg_rows", "id int, names text[]")

    async def test():
        async with connected() as client:
            backends = hold()
            for backend in backends:
                with backends.only(backend):
                    row = await client.fetchval("select row(1, $1::text[])::asyncpg_rows", ["a", None])
                    assert tuple(row) == (1, ["a", None])

    asyncio.run(test())


def test_an_error_has_its_state_and_ends_nothing_else(table):
    table("asyncpg_errors", "id int constraint asyncpg_positive check (id > 0)")

    async def test():
        async with connected() as client:
            for _ in range(2):
                with pytest.raises(asyncpg.DivisionByZeroError) as division:
                    await client.fetchval("select 1 / $1::int", 0)
                assert division.value.sqlstate == "22012"
                with pytest.raises(asyncpg.CheckViolationError) as check:
                    await client.execute("insert into asyncpg_errors values ($1)", -1)
                assert check.value.constraint_name == "asyncpg_positive"
                with pytest.raises(asyncpg.PostgresSyntaxError):
                    await client.fetchval("selekt $1", 1)
                assert await client.fetchval("select $1::int", 4) == 4

    asyncio.run(test())


def test_transactions_and_savepoints(table):
    table("asyncpg_accounts", "id int")

    async def test():
        async with connected() as client:
            async with client.transaction(isolation="serializable"):
                await client.execute("insert into asyncpg_accounts values (1)")
                with pytest.raises(asyncpg.DivisionByZeroError):
                    async with client.transaction():
                        await client.execute("insert into asyncpg_accounts values (2)")
                        await client.execute("select 1/0")
                await client.execute("insert into asyncpg_accounts values (3)")
            with pytest.raises(ZeroDivisionError):
                async with client.transaction():
                    await client.execute("insert into asyncpg_accounts values (4)")
                    raise ZeroDivisionError
            transaction = client.transaction()
            await transaction.start()
            with pytest.raises(asyncpg.UndefinedTableError):
                await client.fetch("select * from asyncpg_nowhere")
            with pytest.raises(asyncpg.InFailedSQLTransactionError):
                await client.fetch("select 1")
            await transaction.rollback()
            assert await client.fetchval("select array_agg(id order by id) from asyncpg_accounts") == [1, 3]

    asyncio.run(test())


def test_prepared_statements_follow_to_every_connection(hold):
    async def test():
        async with connected() as client:
            prepared = await client.prepare("select pg_backend_pid() as pid, $1::int * 2 as doubled")
            backends = hold()
            for n in range(3):
                for backend in backends:
                    with backends.only(backend):
                        assert tuple(await prepared.fetchrow(n)) == (backend, n * 2)
                        # and one that the driver keeps by itself
                        assert await client.fetchrow("select pg_backend_pid(), $1::int + 1", n) == (backend, n + 1)

    asyncio.run(test())


def test_statements_that_the_driver_gives_up_leave_the_others(hold):
    async def test():
        async with connected(statement_cache_size=3) as client:
            backends = hold()
            for n in range(4):
                for backend in backends:
                    with backends.only(backend):
                        for k in range(5):
                            assert await client.fetchval(f"select {k} + $1::int", n) == k + n

    asyncio.run(test())


def test_a_table_that_changes_is_prepared_for_anew(table, hold):
    """The driver drops its statement and prepares the same text once more: then it must be a new one."""
    table("asyncpg_changing", "id int")

    async def test():
        query = "select * from asyncpg_changing where $1::int is null"
        async with connected() as client, connected() as second, connected() as changer:
            backends = hold()
            for backend in backends:
                with backends.only(backend):
                    assert await client.fetch(query, None) == []
                    assert await second.fetch(query, None) == []
            with backends.only(next(iter(backends))):
                await changer.execute("insert into asyncpg_changing values (1)")
                await changer.execute("alter table asyncpg_changing add column name text default 'new'")
            for each in (client, second):
                for backend in backends:
                    with backends.only(backend):
                        assert [tuple(row) for row in await each.fetch(query, None)] == [(1, "new")]

    asyncio.run(test())


def test_copies_in_and_out(table):
    table("asyncpg_copied", "id int8, filler text")
    rows = [(n, f"row {n} " + "x" * (n % 100)) for n in range(20_000)] + [(BIG, None)]

    async def test():
        async with connected() as client:
            copied = await client.copy_records_to_table("asyncpg_copied", records=rows)
            assert copied == f"COPY {len(rows)}"
            out = io.BytesIO()
            await client.copy_from_query("select * from asyncpg_copied where id >= $1 order by id", 0, output=out)
            lines = out.getvalue().decode().splitlines()
            assert len(lines) == len(rows) and lines[-1] == f"{BIG}\t\\N"
            await client.execute("truncate asyncpg_copied")
            out.seek(0)
            await client.copy_to_table("asyncpg_copied", source=out)
            assert [tuple(row) for row in await client.fetch("select * from asyncpg_copied order by id")] == rows

    asyncio.run(test())


def test_a_copy_that_fails_leaves_a_usable_connection(table):
    table("asyncpg_refused", "id int")

    async def test():
        async with connected() as client:
            with pytest.raises(asyncpg.InvalidTextRepresentationError):
                await client.copy_to_table("asyncpg_refused", source=io.BytesIO(b"no number\n" * 50_000))

            async def broken():
                yield b"1\n"
                raise ZeroDivisionError

            with pytest.raises(ZeroDivisionError):
                await client.copy_to_table("asyncpg_refused", source=broken())
            assert await client.fetchval("select count(*) from asyncpg_refused") == 0

    asyncio.run(test())


def test_cancels_what_runs_too_long():
    async def test():
        async with connected() as client:
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await client.execute("select pg_sleep(60)", timeout=0.05)
                assert await client.fetchval("select $1::int", 5) == 5
            async with client.transaction():
                with pytest.raises(asyncio.TimeoutError):
                    async with client.transaction():
                        await client.fetch("select pg_sleep($1)", 60, timeout=0.05)
                assert await client.fetchval("select 6") == 6

    asyncio.run(test())


def test_many_at_once(table):
    table("asyncpg_many", "id int primary key, filler text")

    async def test():
        async with connected() as client:
            insert = "insert into asyncpg_many values ($1, $2)"
            await client.executemany(insert, [(n, "x" * 100) for n in range(20_000)])
            with pytest.raises(asyncpg.UniqueViolationError):
                await client.executemany(insert, [(n, "y") for n in range(30_000, 10_000, -1)])
            assert await client.fetchval("select count(*) from asyncpg_many where filler = 'y'") == 0
            returning = insert + " returning id"
            added = await client.fetchmany(returning, [(n, None) for n in range(20_000, 20_100)])
            assert [row[0] for row in added] == list(range(20_000, 20_100))

    asyncio.run(test())


def test_cursors():
    async def test():
        async with connected() as client, client.transaction():
            numbers = client.cursor("select generate_series(1, $1::int)", 1000, prefetch=70)
            assert [row[0] async for row in numbers] == list(range(1, 1001))
            cursor = await client.cursor("select generate_series(1, $1::int)", 100)
            assert [row[0] for row in await cursor.fetch(10)] == list(range(1, 11))
            await cursor.forward(80)
            assert [row[0] for row in await cursor.fetch(100)] == list(range(91, 101))

    asyncio.run(test())


def test_settings_of_a_pool_outlive_its_resets(hold):
    """When a connection comes back, the pool says RESET ALL: what the startup message set stays."""
    settings = {"application_name": "asyncpg's", "search_path": "pg_catalog", "timezone": "Asia/Tokyo", "work_mem": "7MB"}
    query = "select " + ", ".join(f"current_setting('{name}')" for name in settings)

    async def test():
        async with asyncpg.create_pool(min_size=1, max_size=1, server_settings=settings) as pool, connected() as other:
            theirs = tuple(await other.fetchrow(query))
            backends = hold()
            for _ in range(2):
                for backend in backends:
                    with backends.only(backend):
                        async with pool.acquire() as client:
                            assert tuple(await client.fetchrow(query)) == tuple(settings.values())
                            await client.execute("set work_mem = '9MB'")
                            await client.execute("set datestyle = 'SQL, DMY'")
                            assert await client.fetchval("show work_mem") == "9MB"
                        assert tuple(await other.fetchrow(query)) == theirs

    asyncio.run(test())


def test_notifications_reach_who_listens_and_is_idle():
    async def test():
        async with connected() as listener, connected() as speaker:
            heard = asyncio.Queue()
            await listener.add_listener("asyncpg_news", lambda *arguments: heard.put_nowait(arguments[3]))
            for n in range(3):
                await speaker.execute("select pg_notify('asyncpg_news', $1)", str(n))
                assert await asyncio.wait_for(heard.get(), 20) == str(n)
            assert await listener.fetchval("select 1") == 1

    asyncio.run(test())


def test_twenty_clients_share_two_connections(table):
    table("asyncpg_balances", "id int primary key, balance int8 not null")

    async def work(pool, me):
        async with pool.acquire() as client:
            await client.execute("insert into asyncpg_balances values ($1, 0)", me)
        for n in range(15):
            async with pool.acquire() as client:
                await client.execute("update asyncpg_balances set balance = balance + $1 where id = $2", n, me)
                with pytest.raises(asyncpg.DivisionByZeroError):
                    async with client.transaction():
                        await client.execute("update asyncpg_balances set balance = 0 where id = $1", me)
                        await client.fetchval("select 1 / $1::int", 0)
                await client.executemany("update asyncpg_balances set balance = balance + $1 where id = $2", [(1, me)] * 3)
                out = io.BytesIO()
                await client.copy_from_query("select generate_series(1, 100)", output=out)
                assert len(out.getvalue().splitlines()) == 100
        async with pool.acquire() as client:
            assert await client.fetchval("select balance from asyncpg_balances where id = $1", me) == sum(range(15)) + 45

    async def test():
        async with asyncpg.create_pool(min_size=20, max_size=20) as pool:
            await asyncio.gather(*(work(pool, me) for me in range(20)))

    asyncio.run(test())
