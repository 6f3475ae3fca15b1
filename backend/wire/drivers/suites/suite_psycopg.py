"""psycopg 3, of Python. Its packages carry no tests, so --source names a checkout of its repository."""

from pathlib import Path

from checkout import checked
from python_package import PythonPackage


class Suite(PythonPackage):
    name = "psycopg"
    package = "psycopg"
    version = "3.3.9"
    requirements = ("psycopg-binary==3.3.9", "psycopg-pool", "anyio")
    preparation = "create extension hstore"

    def checkout(self, source: Path | None) -> None:
        self.repository = checked(source, "tests/fix_db.py")

    def fetch(self, folder: Path) -> None:
        self.install(folder)
        self.source = self.repository

    def settings(self, address):
        return {}  # one test connects with the DSN less its password

    def environment(self, address):
        return {"PSYCOPG_TEST_DSN": address.dsn(), "PSYCOPG_IMPL": "binary"}

    def arguments(self, address):
        # The tests of its pool are about another program, those of typing need mypy, and those of timing an idle machine.
        return ["-m", "not (mypy or flakey or slow or timing)", "--ignore=tests/pool", "-W", "default", "tests"]
