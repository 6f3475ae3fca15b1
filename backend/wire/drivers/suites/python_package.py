"""A suite of pytest's, from the source distribution of a Python package."""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path

import runs
from outcomes import Outcomes
from servers import Names


class PythonPackage:
    preparation = ""  # SQL
    names = Names()
    wheel: str | None = None  # what is installed to be tested; default: built from the source distribution
    requirements: tuple[str, ...] = ()

    def fetch(self, folder: Path) -> None:
        self.install(folder)
        self.source = folder / f"{self.package}-{self.version}"
        if not self.source.exists():
            runs.run(
                [str(self.python), "-m", "pip", "download", "--disable-pip-version-check", "--no-deps",
                 "--no-binary", self.package, "-d", str(folder), f"{self.package}=={self.version}"],
                folder / "download.log",
            )
            with tarfile.open(folder / f"{self.package}-{self.version}.tar.gz") as archive:
                archive.extractall(folder, filter="data")

    def install(self, folder: Path) -> None:
        """Makes a virtual environment with what is tested and pytest, once for these versions."""
        self.python = folder / "python" / "bin" / "python"
        stamp = folder / "python" / "requirements"
        wanted = [f"{self.wheel or self.package}=={self.version}", "pytest==9.2.0", *self.requirements]
        if stamp.exists() and stamp.read_text() == " ".join(wanted):
            return
        runs.run([sys.executable, "-m", "venv", "--clear", str(folder / "python")], folder / "venv.log")
        runs.run([str(self.python), "-m", "pip", "install", "--disable-pip-version-check", *wanted], folder / "pip.log")
        stamp.write_text(" ".join(wanted))

    def run(self, address, results: Path, only: set[str] | None, before: Outcomes) -> Outcomes:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        environment |= self.settings(address) | self.environment(address)
        command = [str(self.python), "-m", "pytest", "-q", "--tb=short", *self.arguments(address)]
        return runs.run_pytest(command, self.source, environment, results, only, before)

    def settings(self, address) -> dict[str, str]:
        """Of libpq's environment variables, those that the suite is given."""
        return address.environment()

    def environment(self, address) -> dict[str, str]:
        return {}

    def arguments(self, address) -> list[str]:
        return []
