"""What the tests of both drivers need: connections that keep all others from a backend until they are told."""

import contextlib

import psycopg
import pytest

CONNECTIONS = 2


class Backends:
    """Holds every connection of the domain's pool, so that a test can say which of them the next transaction gets."""

    def __init__(self, stack):
        self._clients = {}
        for _ in range(CONNECTIONS):
            client = stack.enter_context(psycopg.connect())
            self._clients[self._take(client)] = client
        assert len(self._clients) == CONNECTIONS

    @staticmethod
    def _take(client):
        return client.execute("select pg_backend_pid()").fetchone()[0]

    def __iter__(self):
        return iter(self._clients)

    @contextlib.contextmanager
    def only(self, backend):
        """While it lasts, this backend is the only one that is free."""
        client = self._clients[backend]
        client.rollback()
        yield
        assert self._take(client) == backend


@pytest.fixture
def hold():
    """Takes all connections, from when it is called: who connects with new settings needs one, so that comes before."""
    with contextlib.ExitStack() as stack:
        yield lambda: Backends(stack)


@pytest.fixture
def until_active():
    """Waits until a request whose text has a mark in it is at work."""

    def wait(mark):
        with psycopg.connect(autocommit=True) as client:
            active = (
                "select count(*) from pg_stat_activity where state = 'active' and pid <> pg_backend_pid()"
                " and wait_event = 'PgSleep' and strpos(query, %s) > 0"
            )
            while client.execute(active, [mark]).fetchone()[0] == 0:
                pass

    return wait


@pytest.fixture
def table():
    """Makes tables for one test."""
    names = []

    def make(name, columns):
        with psycopg.connect(autocommit=True) as client:
            client.execute(f"drop table if exists {name}")
            client.execute(f"create table {name} ({columns})")
        names.append(name)
        return name

    yield make
    with psycopg.connect(autocommit=True) as client:
        for name in names:
            client.execute(f"drop table {name}")
