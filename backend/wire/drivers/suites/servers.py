"""Starts what a suite connects to: a fresh PostgreSQL with a wire port before it, or with PgBouncer before it."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

PASSWORD = "suite-42"
SESSIONS, TRANSACTIONS = 50, 20  # connections of the pool, by mode

PATHS = ("direct", "transaction", "session", "pgbouncer", "pgbouncer-session")


@dataclass(frozen=True)
class Names:
    """What a suite connects as, and to. The role and the database are made on the server; the domain is named like the database."""

    user: str = "postgres"
    database: str = "postgres"


@dataclass(frozen=True)
class Address:
    """Where a suite finds its server: at PORT of this machine, with PASSWORD."""

    port: int
    names: Names

    def environment(self) -> dict[str, str]:
        return {
            "PGHOST": "127.0.0.1",
            "PGPORT": str(self.port),
            "PGUSER": self.names.user,
            "PGPASSWORD": PASSWORD,
            "PGDATABASE": self.names.database,
            "PGSSLMODE": "disable",
            "PGCONNECT_TIMEOUT": "20",
        }

    def dsn(self) -> str:
        return (
            f"host=127.0.0.1 port={self.port} user={self.names.user} password={PASSWORD} dbname={self.names.database}"
            " sslmode=disable connect_timeout=20"
        )


@dataclass(frozen=True)
class Programs:
    java: list[str]  # the command that starts SuiteServer, without its arguments
    pgbouncer: str | None


@contextmanager
def serve(path: str, programs: Programs, suite, folder: Path) -> Iterator[Address]:
    """A fresh server for one run of a suite, gone afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    sql = folder / "prepare.sql"
    names = suite.names
    sql.write_text(suite.preparation, encoding="utf-8")
    by_session = path in ("session", "pgbouncer-session")
    connections = SESSIONS if by_session else TRANSACTIONS
    arguments = ["session" if by_session else "transaction", str(connections), names.database, names.user, PASSWORD, str(sql)]
    with open(folder / f"server-{path}.log", "wb") as log:
        server = subprocess.Popen(
            programs.java + arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True
        )
        try:
            words = server.stdout.readline().decode().split()
            if len(words) != 4:
                raise RuntimeError(f"the server did not start; see {log.name}")
            wire, direct = int(words[1]), int(words[3])
            if path == "direct":
                yield Address(direct, names)
            elif path.startswith("pgbouncer"):
                with pgbouncer(programs.pgbouncer, direct, path, names, folder) as port:
                    yield Address(port, names)
            else:
                yield Address(wire, names)
        finally:
            server.stdin.close()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                print(f"The wire port did not end within 30 s ({path}); it is killed", flush=True)
                server.kill()
                server.wait()


@contextmanager
def pgbouncer(program: str, server: int, path: str, names: Names, folder: Path) -> Iterator[int]:
    port = free_port()
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        users = Path(place, "users")
        users.write_text(f'"{names.user}" "{PASSWORD}"\n', encoding="utf-8")
        settings = Path(place, "pgbouncer.ini")
        by_session = path == "pgbouncer-session"
        settings.write_text(
            f"""[databases]
{names.database} = host=127.0.0.1 port={server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
pool_mode = {"session" if by_session else "transaction"}
default_pool_size = {SESSIONS if by_session else TRANSACTIONS}
max_client_conn = 1000
max_prepared_statements = 200
ignore_startup_parameters = extra_float_digits
query_wait_timeout = 10
""",
            encoding="utf-8",
        )
        command = [program]
        if os.geteuid() == 0:
            command += ["-u", "nobody"]
        with open(folder / f"server-{path}-pgbouncer.log", "wb") as log:
            process = subprocess.Popen(command + [str(settings)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            try:
                await_port(port, process)
                yield port
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def await_port(port: int, process: subprocess.Popen) -> None:
    for _ in range(100):
        if process.poll() is not None:
            raise RuntimeError(f"PgBouncer ended with {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("PgBouncer does not listen")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
