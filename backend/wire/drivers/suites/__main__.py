"""Runs drivers' own test suites directly and through the wire port, and says what fails through it alone.

Started by `./headgate check drivers`, which see.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from outcomes import (
    FAILED, HUNG, PASSED, Outcomes, leaves, lines, read_outcomes, read_reasons, write_outcomes,
)
from servers import PATHS, Programs, serve

HERE = Path(__file__).parent
KNOWN = HERE / "known"
CARRIED = ("pgx", "pq", "psycopg2", "pg8000")  # by packages; the others need a checkout of their repository
MOST_HANGS = 20
DIRECT_RUNS = 6  # of a test that fails through Headgate alone: one that fails directly every second time passes as often in one of 64 cases
BY_HAND = ("psycopg", "asyncpg", "node_postgres")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="headgate check drivers")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(CARRIED + BY_HAND)}; default: {', '.join(CARRIED)}")
    parser.add_argument("--paths", default="direct,transaction,session", help=f"of {', '.join(PATHS)}")
    parser.add_argument("--record", action="store_true", help="write what passes and fails through PgBouncer to the committed list")
    parser.add_argument("--results", type=Path, help="folder for outcomes and logs; default: target/drivers/suites")
    parser.add_argument("--keep", action="store_true", help="take outcomes that the folder already has, and run the other paths")
    parser.add_argument("--source", type=Path, help="folder of the repository, for suites that no package carries")
    parser.add_argument("--java", help=argparse.SUPPRESS)
    parser.add_argument("--classpath", help=argparse.SUPPRESS)
    parser.add_argument("--go", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.suites) - set(CARRIED + BY_HAND)
    if unknown:
        parser.error(f"there is no suite {', '.join(sorted(unknown))}; there are {', '.join(CARRIED + BY_HAND)}")
    return options


def main() -> int:
    options = arguments()
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, lambda number, frame: sys.exit(128 + number))  # so that what was started is ended
    programs = Programs(
        [options.java, "--enable-native-access=ALL-UNNAMED",
         "-cp", options.classpath, "dev.headgate.wire.SuiteServer"],
        os.environ.get("HEADGATE_PGBOUNCER"),
    )
    paths = options.paths.split(",")
    if programs.pgbouncer and options.record and "pgbouncer" not in paths:
        paths.append("pgbouncer")
    wrong = [path for path in paths if path not in PATHS or path.startswith("pgbouncer") and not programs.pgbouncer]
    if wrong:
        print(f"headgate: cannot test {', '.join(wrong)}; PgBouncer needs its path in HEADGATE_PGBOUNCER", file=sys.stderr)
        return 2
    good = True
    for name in options.suites or CARRIED:
        module = importlib.import_module(f"suite_{name}")
        suite = module.Suite(options.go) if hasattr(module.Suite, "module") else module.Suite()
        folder = options.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        if hasattr(suite, "checkout"):
            suite.checkout(options.source)
        print(f"== {name}: fetching", flush=True)
        suite.fetch(folder)
        good &= check(suite, paths, programs, (options.results or options.folder) / name, options)
    return 0 if good else 1


def check(suite, paths: list[str], programs: Programs, results: Path, options) -> bool:
    results.mkdir(parents=True, exist_ok=True)
    of: dict[str, Outcomes] = {}
    for path in paths:
        kept = results / f"{path}.txt"
        if options.keep and (before := read_outcomes(kept)) and before.of:
            of[path] = before
            continue
        started = time.monotonic()
        of[path] = run(suite, programs, path, results, path, None)
        write_outcomes(kept, f"{suite.name} {suite.version}, {path}", of[path])
        print(f"   {path}: {of[path]} passed, {time.monotonic() - started:.0f} s", flush=True)
    good = True
    if not of.get("direct", Outcomes()).passed and "direct" in of:
        print("   nothing passes directly: the suite is not set up right")
        good = False
    direct = of.get("direct")
    recorded = KNOWN / f"{suite.name}.pgbouncer"
    rivals = set()
    if direct and "pgbouncer" in of:
        # As with Headgate, a test that fails gets a second run by itself: the list must not excuse ours for a rival's bad moment.
        lost = confirm(suite, programs, "pgbouncer", direct.passed - of["pgbouncer"].passed, results)
        rivals = direct.passed - lost
        if options.record:
            record(recorded, suite, version(programs.pgbouncer), of["pgbouncer"], lost)
    elif direct:
        rivals = direct.passed - set(lines(recorded)) if recorded.exists() else set()
    if direct and "session" in of:
        reasons = read_reasons(KNOWN / f"{suite.name}.session")
        known, new = split(direct.passed & of["session"].bad, reasons)
        new = steady(suite, programs, confirm(suite, programs, "session", new, results), results)
        tell("fails in session mode, passes directly, for a reason that is known", known, of["session"], reasons)
        tell("FAILS in session mode, passes directly", new, of["session"], {})
        good &= not new
    if direct and "transaction" in of and rivals:
        new = confirm(suite, programs, "transaction", direct.passed & rivals & of["transaction"].bad, results)
        new = steady(suite, programs, new, results)
        tell("FAILS in transaction mode, passes through PgBouncer", new, of["transaction"], {})
        good &= not new
    for path in ("transaction", "session"):
        hung = of.get(path, Outcomes()).named(HUNG)
        tell(f"HANGS in {path} mode", hung, of.get(path), {})
        if direct and path in of:
            absent = not_run(direct, of[path])
            tell(f"DOES NOT RUN in {path} mode, passes directly", absent, of[path], {})
            good &= not (hung - direct.bad) and not absent
    table(suite, of)
    return good


def run(suite, programs: Programs, path: str, results: Path, name: str, only: set[str] | None) -> Outcomes:
    """A run of the suite; after a test that hangs it goes on with a fresh server, as that one may be what stands still."""
    outcomes = Outcomes()
    for _ in range(MOST_HANGS):
        with serve(path, programs, suite, results) as address:
            outcomes = suite.run(address, results / name, only, outcomes)
        if not outcomes.unfinished:
            break
    else:
        print(f"   {path}: given up after {MOST_HANGS} tests that hang; the rest has not run", flush=True)
    return outcomes


def not_run(direct: Outcomes, of: Outcomes) -> set[str]:
    """What has no outcome at all, and is no part of a test that failed before it came to it."""
    def within_bad(name: str) -> bool:
        while "/" in name:
            name = name.rpartition("/")[0]
            if name in of.bad:
                return True
        return False

    return {name for name in direct.passed - set(of.of) if not within_bad(name) and not name.startswith(tuple(f"{bad}: " for bad in of.bad))}


def version(pgbouncer: str) -> str:
    return subprocess.run([pgbouncer, "--version"], capture_output=True, text=True).stdout.splitlines()[0]


def split(names: set[str], reasons: dict[str, str]) -> tuple[set[str], set[str]]:
    known = {name for name in names if name in reasons or any(name.startswith(given + "/") for given in reasons)}
    # Go's parent of a test that is known to fail fails with it.
    parents = {name for name in names - known if any(other.startswith(name + "/") for other in known)}
    failing = names - known - parents
    parents_of_new = {name for name in parents if any(other.startswith(name + "/") for other in failing)}
    return known | (parents - parents_of_new), failing | parents_of_new


def confirm(suite, programs: Programs, path: str, failed: set[str], results: Path) -> set[str]:
    """Runs those once more that failed, by themselves: what passes now is named, and does not count as failed."""
    if not failed:
        return failed
    again = run(suite, programs, path, results, f"{path}-again", failed)
    passed = {name for name in failed if again.of.get(name) == PASSED}
    tell(f"failed in {path} mode and passed when run again", passed, again, {})
    return failed - passed


def steady(suite, programs: Programs, failed: set[str], results: Path) -> set[str]:
    """Runs those directly by themselves, several times. One that loses a race of its own there says nothing about Headgate."""
    for turn in range(DIRECT_RUNS):
        if not failed:
            break
        again = run(suite, programs, "direct", results, f"direct-again-{turn}", failed)
        racing = failed & again.bad
        tell("fails directly, too, when run often enough", racing, again, {})
        failed = failed - racing
    return failed


def tell(what: str, names: set[str], outcomes: Outcomes | None, reasons: dict[str, str]) -> None:
    if not names:
        return
    print(f"   {what}:")
    for name in sorted(leaves(names)):
        outcome = outcomes.of.get(name) if outcomes else None
        hung = " (hangs)" if outcome == HUNG else ""
        reason = f" -- {reasons[name]}" if name in reasons else ""
        print(f"     {name}{hung}{reason}")


def record(path: Path, suite, rival: str, of: Outcomes, lost: set[str]) -> None:
    comment = (
        f"# {suite.name} {suite.version} through {rival} in transaction mode, recorded on {datetime.date.today()}: {of} passed"
        f" at first. {len(lost)} tests that pass directly failed twice, the second time by themselves:"
    )
    path.write_text("\n".join([comment, *sorted(lost)]) + "\n", encoding="utf-8")


def table(suite, of: dict[str, Outcomes]) -> None:
    print(f"\n   | {suite.name} {suite.version} | " + " | ".join(of) + " |")
    print("   | --- |" + " --- |" * len(of))
    for label, count in (
        ("passed", lambda it: len(it.passed)),
        ("failed", lambda it: len(it.named(FAILED))),
        ("hung", lambda it: len(it.named(HUNG))),
        ("skipped", lambda it: len(it.of) - len(it.passed) - len(it.bad)),
    ):
        print(f"   | {label} | " + " | ".join(str(count(it)) for it in of.values()) + " |")
    print(flush=True)


if __name__ == "__main__":
    sys.exit(main())
