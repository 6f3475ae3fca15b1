"""A pytest plugin: writes each test's start and outcome to a file as it happens, so that nothing is lost by a hang.

Tests that the file already tells of are left out, so that a run goes on after the one that hung.
"""

import os

FILE = os.environ["HEADGATE_OUTCOMES"]
ONLY = os.environ.get("HEADGATE_ONLY")


def told():
    if not os.path.exists(FILE):
        return set()
    with open(FILE, encoding="utf-8") as lines:
        return {line.rstrip("\n").partition(" ")[2] for line in lines}


def name_of(nodeid):
    return nodeid.replace("\n", "\\n").encode("utf-8", "backslashreplace").decode("utf-8")


def tell(word, nodeid):
    with open(FILE, "a", encoding="utf-8") as out:
        out.write(f"{word} {name_of(nodeid)}\n")


def pytest_collection_modifyitems(items):
    done = told()
    only = None
    if ONLY:
        with open(ONLY, encoding="utf-8") as lines:
            only = {line.rstrip("\n") for line in lines}
    items[:] = [
        item for item in items
        if name_of(item.nodeid) not in done and (only is None or name_of(item.nodeid) in only)
    ]


def pytest_runtest_logstart(nodeid, location):
    tell("start", nodeid)


worst = {}
ORDER = {"passed": 0, "skipped": 1, "failed": 2}


def pytest_runtest_logreport(report):
    # A test has three phases; its outcome is the worst of them.
    if ORDER[report.outcome] >= ORDER[worst.get(report.nodeid, "passed")]:
        worst[report.nodeid] = report.outcome


def pytest_runtest_logfinish(nodeid, location):
    tell(worst.pop(nodeid, "passed"), nodeid)
