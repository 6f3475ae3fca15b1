"""psycopg2, of Python. What is tested is the wheel of the same version; the source distribution carries the tests."""

from python_package import PythonPackage


class Suite(PythonPackage):
    name = "psycopg2"
    package = "psycopg2"
    version = "2.9.13"
    wheel = "psycopg2-binary"
    preparation = "create extension hstore"

    def environment(self, address):
        return {"PSYCOPG2_TESTDB": address.names.database}

    def arguments(self, address):
        return ["-k", "not test_suite", "tests"]  # a function by which unittest finds them
