"""node-postgres. Its packages carry no tests, so --source names a checkout of its repository."""

import os
import shutil
from pathlib import Path

import runs
from checkout import checked
from servers import Names


class Suite:
    name = "node_postgres"
    version = "8.23.0"
    preparation = "create extension hstore"
    names = Names()

    def checkout(self, source: Path | None) -> None:
        self.repository = checked(source, "packages/pg/test/suite.js")

    def fetch(self, folder: Path) -> None:
        self.node = shutil.which("node")
        self.source = folder / "pg"
        if not self.source.exists():
            shutil.copytree(self.repository / "packages" / "pg", folder / "copying")
            # The tests want no compiler, no workers and no native binding.
            runs.run(["npm", "pkg", "delete", "devDependencies", "peerDependencies", "peerDependenciesMeta"],
                     folder / "npm.log", cwd=folder / "copying")
            runs.run(["npm", "install", "--no-audit", "--no-fund", "async@2.6.4", "bluebird@3.7.2", "co@4.6.0", "pg-copy-streams@0.3.0"],
                     folder / "npm.log", cwd=folder / "copying")
            (folder / "copying").rename(self.source)

    def run(self, address, results: Path, only, before):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PG")}
        environment |= address.environment()
        del environment["PGSSLMODE"], environment["PGCONNECT_TIMEOUT"]
        files = sorted((self.source / "test" / "integration").rglob("*-tests.js"))
        return runs.run_node(self.node, self.source, files, environment, results, only, before)
