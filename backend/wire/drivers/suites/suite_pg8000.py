"""pg8000, of Python."""

from python_package import PythonPackage


class Suite(PythonPackage):
    name = "pg8000"
    package = "pg8000"
    version = "1.31.6"
    requirements = ("pytest-mock", "pytest-benchmark", "pytz", "docutils")
    preparation = "create extension hstore"

    def arguments(self, address):
        return ["--benchmark-disable", "test"]
