"""Runs a suite under a time limit. A run ends with a test that hangs, and another one goes on where it ended."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from outcomes import FAILED, HUNG, PASSED, SKIPPED, Outcomes

TEST_SECONDS = 90  # after which a test of pytest's counts as hung
PACKAGE_SECONDS = 600  # for the tests of one Go package together; some wait 120 s for what does not happen
MOST_CRASHES = 20  # of the tests' process; then the rest of its tests is not tried


@contextmanager
def started(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """A process in a group of its own, which is gone afterwards, whatever it has started."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True, **options)
    try:
        yield process
    finally:
        end_group(process)


def end_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run_pytest(
    command: list[str], folder: Path, environment: dict[str, str], results: Path, only: set[str] | None, before: Outcomes
) -> Outcomes:
    """COMMAND runs pytest in FOLDER. RESULTS is a path without ending for what is kept: outcomes and the log.

    ONLY names the tests to run, None means all; those with an outcome BEFORE are left out.
    """
    told, log, chosen = results.with_suffix(".outcomes"), results.with_suffix(".log"), results.with_suffix(".only")
    cache = results.parent / "pytest"
    told.write_text("".join(f"{outcome} {name}\n" for name, outcome in before.of.items()), encoding="utf-8")
    environment = environment | {
        "HEADGATE_OUTCOMES": str(told),
        "PYTHONPATH": str(Path(__file__).parent / "plugin"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if only is not None:
        chosen.write_text("\n".join(sorted(only)) + "\n", encoding="utf-8")
        environment["HEADGATE_ONLY"] = str(chosen)
    outcomes = dict(before.of)
    with open(log, "ab" if before.of else "wb") as out:
        for _ in range(MOST_CRASHES):
            hangs = False
            shutil.rmtree(cache, ignore_errors=True)  # psycopg's tests refuse to run after one that was killed
            with started(
                command + ["-p", "headgate_outcomes", "-o", f"cache_dir={cache}", "-p", "faulthandler"],
                cwd=folder, env=environment, stdout=out,
            ) as process:
                last = time.monotonic()
                size = -1
                while process.poll() is None:
                    time.sleep(0.2)
                    now = told.stat().st_size if told.exists() else 0
                    if now != size:
                        size, last = now, time.monotonic()
                    elif time.monotonic() - last > TEST_SECONDS:
                        hangs = True
                        process.send_signal(signal.SIGABRT)  # pytest shows all stacks
                        time.sleep(1)
                        break
            running = None
            for line in told.read_text(encoding="utf-8").splitlines() if told.exists() else []:
                word, _, name = line.partition(" ")
                if word == "start":
                    running = name
                else:
                    outcomes[name] = word
                    running = None
            if running is None:
                break
            outcomes[running] = HUNG if hangs else FAILED
            if hangs:
                return Outcomes(outcomes, unfinished=True)
            with open(told, "a", encoding="utf-8") as lines:
                lines.write(f"{outcomes[running]} {running}\n")
    return Outcomes(outcomes)


def run_go(
    go: str, folder: Path, environment: dict[str, str], results: Path, only: set[str] | None, before: Outcomes
) -> Outcomes:
    """Runs the tests of all packages of the module in FOLDER, one package at a time. Names are `PACKAGE TEST/SUBTEST`."""
    log = results.with_suffix(".log")
    outcomes = dict(before.of)
    with open(log, "a" if before.of else "w", encoding="utf-8") as out:
        for package, place in go_packages(go, folder, environment):
            wanted = None
            if only is not None:
                wanted = {top(name.partition(" ")[2]) for name in only if name.startswith(package + " ")}
                if not wanted:
                    continue
            program = go_program(go, folder, environment, package)
            tops = go_tests(program, place, environment)
            left = [test for test in tops if wanted is None or test in wanted]
            for _ in range(MOST_CRASHES):
                own = {name.removeprefix(package + " "): it for name, it in outcomes.items() if name.startswith(package + " ")}
                ended = {top(test) for test, outcome in own.items() if "/" not in test or outcome == HUNG}
                left = [test for test in left if test not in ended]
                if not left:
                    break
                command = [go, "tool", "test2json", "-t", "-p", package, str(program)]
                chosen = left if len(left) < len(tops) else None
                told, running = go_package(command, place, environment, package, chosen, out)
                outcomes |= told
                outcomes |= {f"{package} {test}": HUNG for test in running}
                if running:
                    return Outcomes(outcomes, unfinished=True)
                if not told:
                    break
            outcomes |= {f"{package} {test}": FAILED for test in left}
    return Outcomes(outcomes)


def steady(test: str) -> str:
    """The name without the number of a temporary folder, which some subtests carry and which changes with each run."""
    return re.sub(r"/(Test[A-Za-z]*)\d{6,}/", r"/\1/", test)


def top(test: str) -> str:
    return test.partition("/")[0]


def go_packages(go: str, folder: Path, environment: dict[str, str]) -> list[tuple[str, str]]:
    """Packages that have tests, each with its folder."""
    listed = subprocess.run(
        [go, "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./..."],
        cwd=folder, env=environment, check=True, capture_output=True, text=True,
    )
    return [tuple(line.split("\t")) for line in listed.stdout.splitlines()]


def go_program(go: str, folder: Path, environment: dict[str, str], package: str) -> Path:
    """The package's test program, linked once for all runs."""
    program = folder / "test-programs" / package.replace("/", "_")
    if not program.exists():
        run([go, "test", "-c", "-vet=off", "-o", str(program), package], program.parent / f"{program.name}.log", cwd=folder, env=environment)
    return program


def go_tests(program: Path, place: str, environment: dict[str, str]) -> list[str]:
    listed = subprocess.run([str(program), "-test.list=."], cwd=place, env=environment, capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if re.match(r"(Test|Example|Fuzz)", line)]


def go_package(command, place, environment, package, tests, out) -> tuple[dict[str, str], set[str]]:
    """The outcomes, and the tests that ran when the time was up."""
    command = command + ["-test.v=test2json", "-test.count=1", "-test.parallel=1", f"-test.timeout={PACKAGE_SECONDS}s"]
    if tests is not None:
        command.append("-test.run=^(" + "|".join(map(re.escape, tests)) + ")$")
    outcomes: dict[str, str] = {}
    running: set[str] = set()
    ended: set[str] = set()
    listing = False
    words = {"pass": PASSED, "fail": FAILED, "skip": SKIPPED}
    with started(command, cwd=place, env=environment, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                out.write(line)
                continue
            test, action = event.get("Test"), event["Action"]
            if action in ("output", "build-output"):
                text = event["Output"]
                out.write(text)
                if found := re.match(r"\s*--- (?:PASS|FAIL|SKIP): (\S+)", text):
                    ended.add(steady(found[1]))
                if "panic: test timed out" in text:
                    listing = True
                elif listing and (found := re.match(r"\s+(\S+) \([\dhms.]+\)\s*$", text)):
                    running.add(steady(found[1]))
                elif listing and "running tests" not in text:
                    listing = False
            elif test and action in words:
                outcomes[f"{package} {steady(test)}"] = words[action]
    out.flush()
    # After a panic Go reports all tests as failed that it had not come to.
    outcomes = {f"{package} {test}": outcomes[f"{package} {test}"] for test in ended if f"{package} {test}" in outcomes}
    # Of those that ran, only the innermost hung.
    running = {test for test in running if not any(other.startswith(test + "/") for other in running)}
    return outcomes, running


def run(command: list[str], log: Path, **options) -> None:
    """A step of the preparation; ends the program with its output when it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as out:
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, **options).returncode
    if code != 0:
        sys.stderr.write(log.read_text(encoding="utf-8", errors="replace")[-4000:])
        raise SystemExit(f"headgate: {' '.join(command[:4])} ended with {code}; the whole log: {log}")


def run_node(
    node: str, folder: Path, files: list[Path], environment: dict[str, str], results: Path, only: set[str] | None,
    before: Outcomes,
) -> Outcomes:
    """Runs node-postgres' files, a process each. Names are `FILE` and `FILE: TEST`; a file ends with its first failure."""
    outcomes = dict(before.of)
    with open(results.with_suffix(".log"), "a" if before.of else "w", encoding="utf-8") as out:
        for file in files:
            name = str(file.relative_to(folder))
            if name in outcomes:
                continue
            if only is not None and not any(wanted == name or wanted.startswith(name + ": ") for wanted in only):
                continue
            with started(
                [node, str(file)], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, errors="replace"
            ) as process:
                try:
                    text, _ = process.communicate(timeout=TEST_SECONDS)
                    outcomes[name] = PASSED if process.returncode == 0 else FAILED
                except subprocess.TimeoutExpired:
                    end_group(process)
                    text, _ = process.communicate()
                    outcomes[name] = HUNG
            out.write(f"== {name}\n{text}\n")
            for test, mark in re.findall(r"^  (.+?) (✔|FAILED!|\? - SKIPPED)", text, re.MULTILINE):
                outcomes[f"{name}: {test.strip()}"] = {"✔": PASSED, "FAILED!": FAILED}.get(mark, SKIPPED)
            if outcomes[name] == HUNG:
                return Outcomes(outcomes, unfinished=True)
    return Outcomes(outcomes)
