"""Checkouts of drivers' repositories, for the suites that no package carries."""

from __future__ import annotations

from pathlib import Path


def checked(source: Path | None, landmark: str) -> Path:
    if source is None or not (source / landmark).exists():
        raise SystemExit(f"headgate: this suite needs --source with a checkout of the driver's repository, with {landmark} in it")
    return source.resolve()
