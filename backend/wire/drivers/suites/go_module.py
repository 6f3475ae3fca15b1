"""A suite that a Go module carries: fetched by Go, copied out of the module cache, and run there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import runs
from outcomes import Outcomes
from servers import Names


class GoModule:
    preparation = ""  # SQL
    names = Names()

    def __init__(self, go: str):
        self.go = go

    def fetch(self, folder: Path) -> None:
        self.source = folder / f"source-{self.version}"
        if self.source.exists():
            return
        found = subprocess.run(
            [self.go, "mod", "download", "-json", f"{self.module}@{self.version}"], capture_output=True, text=True
        )
        if found.returncode != 0:
            raise SystemExit(f"headgate: {self.module} could not be fetched: {found.stdout}{found.stderr}")
        copy = folder / "copying"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(json.loads(found.stdout)["Dir"], copy)
        for place, _, names in os.walk(copy):
            os.chmod(place, 0o755)
            for name in names:
                os.chmod(os.path.join(place, name), 0o600 if name.endswith(".key") else 0o644)
        copy.rename(self.source)

    def run(self, address, results: Path, only: set[str] | None, before: Outcomes) -> Outcomes:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        environment |= {"GOFLAGS": "-mod=mod"} | self.settings(address) | self.environment(address)
        return runs.run_go(self.go, self.source, environment, results, only, before)

    def settings(self, address) -> dict[str, str]:
        """Of libpq's environment variables, those that the suite is given."""
        return address.environment()

    def environment(self, address) -> dict[str, str]:
        return {}
