"""lib/pq, of Go."""

import subprocess
from pathlib import Path

from go_module import GoModule
from servers import PASSWORD, Names


class Suite(GoModule):
    name = "pq"
    module = "github.com/lib/pq"
    version = "v1.12.3"
    names = Names("pqgo", "pqgo")  # its tests of settings know them, and no password
    preparation = """
        create extension hstore;
        create role pqgossl;
        create role pqgosslcert;
        create role pqgopassword password 'wordpass';
        create role pqgoscram password 'wordpass';
        create role pqgomd5 password 'wordpass';
    """

    def fetch(self, folder: Path) -> None:
        super().fetch(folder)
        self.home = folder / "home"
        self.home.mkdir(exist_ok=True)
        passwords = self.home / ".pgpass"
        passwords.write_text(f"*:*:*:*:{PASSWORD}\n")
        passwords.chmod(0o600)
        caches = subprocess.run([self.go, "env", "GOCACHE", "GOPATH", "GOMODCACHE"], capture_output=True, text=True, check=True)
        self.caches = dict(zip(("GOCACHE", "GOPATH", "GOMODCACHE"), caches.stdout.splitlines()))

    def environment(self, address):
        return {"HOME": str(self.home), **self.caches}

    def settings(self, address):
        return {"PGPORT": str(address.port)}
