"""Runs schemathesis before the service of HEADGATE_URL: `python __main__.py FOLDER EXAMPLES SEED`. Exits with 1 on a finding."""

import json
import os
import pathlib
import subprocess
import sys

import world

LEAST_CASES = 10_000


def main(folder: pathlib.Path, examples: str, seed: str) -> int:
    sources = pathlib.Path(__file__).parent
    report = folder / "report.json"
    dropped = folder / "dropped.json"
    for former in (report, dropped):
        former.unlink(missing_ok=True)
    world.prepare()
    code = subprocess.run(
        [
            pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", sources / "schemathesis.toml", "run",
            os.environ["HEADGATE_URL"] + "/v3/api-docs", "--checks", "all", "--phases", "examples,coverage,fuzzing,stateful",
            "--max-examples", examples, "--seed", seed, "--report", "json", "--report-json-path", report,
        ],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(sources), "PYTHONDONTWRITEBYTECODE": "1", "HEADGATE_DROPPED": str(dropped)},
    ).returncode
    if not report.exists():
        return code or 1
    told = json.loads(report.read_text())
    cases = told["test_cases"]["generated"] - told["test_cases"]["without_checks"]
    findings = told["test_cases"]["unique_failures"] + told["test_cases"]["errored"]
    for reason, count in sorted(json.loads(dropped.read_text()).items(), key=lambda each: -each[1]):
        print(f"expected {count:6,}  {reason}")
    errors = logged_errors()
    for line in errors:
        print("the service's log: " + line)
    print(f"{cases:,} cases, seed {seed}, {findings} findings, {len(errors)} errors in the service's log")
    if cases < LEAST_CASES:
        print(f"fewer than {LEAST_CASES:,} cases passed all checks: raise the number of examples")
    return 1 if code or findings or errors or cases < LEAST_CASES else 0


def logged_errors() -> list[str]:
    log = pathlib.Path(os.environ["HEADGATE_DATA"]).parent / "log"
    return [line for line in log.read_text(errors="replace").splitlines() if " ERROR " in line]


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
