"""What became of the tests of a suite, and the committed lists it is compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

PASSED, FAILED, SKIPPED, HUNG = "passed", "failed", "skipped", "hung"


@dataclass
class Outcomes:
    """The outcome of each test by its name, of one suite on one path to the server."""

    of: dict[str, str] = field(default_factory=dict)
    unfinished: bool = False  # ended by a test that hung; there may be more

    def named(self, *outcomes: str) -> set[str]:
        return {name for name, outcome in self.of.items() if outcome in outcomes}

    @property
    def passed(self) -> set[str]:
        return self.named(PASSED)

    @property
    def bad(self) -> set[str]:
        return self.named(FAILED, HUNG)

    def __str__(self) -> str:
        text = f"{len(self.passed)}/{len(self.passed) + len(self.bad)}"
        hung = len(self.named(HUNG))
        return f"{text} ({hung} hung)" if hung else text


def leaves(names: set[str]) -> set[str]:
    """Drops the tests that merely contain another one of the names (Go's parents of subtests)."""
    return {name for name in names if not any(other.startswith(name + "/") for other in names)}


def read_reasons(path: Path) -> dict[str, str]:
    """Reads lines of the form `TEST -- REASON`."""
    reasons = {}
    for line in lines(path):
        name, separator, reason = line.partition(" -- ")
        if not separator or not reason.strip():
            raise ValueError(f"{path}: '{line}' gives no reason; write: test -- reason")
        reasons[name.strip()] = reason.strip()
    return reasons


def read_outcomes(path: Path) -> Outcomes | None:
    if not path.exists():
        return None
    outcomes = {}
    for line in lines(path):
        outcome, _, name = line.partition(" ")
        outcomes[name] = outcome
    return Outcomes(outcomes)


def write_outcomes(path: Path, comment: str, outcomes: Outcomes) -> None:
    body = [f"# {comment}"]
    body += [f"{outcome} {name}" for name, outcome in sorted(outcomes.of.items())]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(body) + "\n", encoding="utf-8")


def lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    found = (line.rstrip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in found if line and not line.startswith("#")]
