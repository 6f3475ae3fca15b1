"""asyncpg, of Python. What is tested is the wheel of this version; the source distribution carries the tests."""

import shutil
from pathlib import Path

from python_package import PythonPackage


class Suite(PythonPackage):
    name = "asyncpg"
    package = "asyncpg"
    version = "0.32.0"
    requirements = ("Cython>=3.2,<4", "distro", "pytest-asyncio")

    def fetch(self, folder: Path) -> None:
        super().fetch(folder)
        # The tests alone: the package beside them is not compiled.
        tests = folder / "alone"
        if not tests.exists():
            shutil.copytree(self.source / "tests", tests / "tests")
        self.source = tests

    def arguments(self, address):
        return ["tests"]
