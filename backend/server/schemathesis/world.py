"""Gives the service a database, a domain and a client to act on."""

import json
import os
import pathlib
import urllib.request


def create(path, body):
    request = urllib.request.Request(
        os.environ["HEADGATE_URL"] + "/api/v1" + path,
        json.dumps(body).encode(),
        {"Authorization": "Bearer " + os.environ["HEADGATE_TOKEN"], "Content-Type": "application/json"},
    )
    urllib.request.urlopen(request).close()


def prepare():
    server = pathlib.Path(os.environ["HEADGATE_DATA"]) / "postgres"
    create("/databases", {
        "name": "main", "host": "127.0.0.1", "port": int((server / "port").read_text()), "database": "postgres",
        "user": "postgres", "password": (server / "password").read_text().strip(), "sslMode": "disable", "budget": 20,
    })
    create("/domains", {"name": "bank", "database": "main"})


if __name__ == "__main__":
    prepare()
