#!/usr/bin/env bash
# policies/outside.sh
#
# Does what docs/policy-authoring.md tells its reader to do, in a folder outside this checkout: writes the files that the
# page shows, publishes the libraries there, builds and tests the policy. Then does the same to the project that
# `./headgate policy new` writes. Exits with 1 when any of that fails.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
# Maven keeps for good what it has fetched of a version. So this test has a repository of its own, and leaves in it what
# others publish alone.
readonly repository=$root/target/outside/repository
project=$(mktemp -d "${TMPDIR:-/tmp}/headgate-policy.XXXXXX")
trap 'rm -rf "$project"' EXIT
fail() { echo "policies/outside.sh: $*" >&2; exit 1; }

# A block of the page that names a file after its language is that file.
awk -v project="$project" '
  /^```/ && file != "" { close(file); file = ""; next }
  /^```[a-z]* [^ ]+$/ { file = project "/" $2; folder = file; sub("/[^/]*$", "", folder); system("mkdir -p \"" folder "\""); next }
  file != "" { print > file }
' "$root/docs/policy-authoring.md"
[ -f "$project/pom.xml" ] || fail "the page shows no pom.xml"

"$root/policies/libraries.sh" "$project/libraries"
rm -rf "$repository/dev/headgate"
build() { # FOLDER WHAT. Leaves FOLDER/log
  (cd "$1" && "$root/mvnw" -B -ntp -Dmaven.repo.local="$repository" -Dsurefire.failIfNoTests=true package </dev/null) \
    >"$1/log" || { grep -v '^\[INFO\]' "$1/log" >&2; fail "$2 does not build"; }
}
build "$project" "the page's project"

grep -q 'Tests run: [1-9].*BudgetShareTest' "$project/log" || fail "the page's test did not run"
[ -f "$project/target/budget-share-1.0.0.jar" ] || fail "the jar that the page names was not built"
echo "The policy of docs/policy-authoring.md builds outside the checkout: $(sed -n 's/.*\(Tests run: [0-9]*\), .*BudgetShareTest.*/\1/p' "$project/log")"

! "$root/headgate" policy new min-max "$project/taken" >"$project/taken.log" 2>&1 || fail "policy new took a name of Headgate's own"
"$root/headgate" policy new my-cap "$project/new" >"$project/new.log" 2>&1 || { cat "$project/new.log" >&2; fail "policy new failed"; }
build "$project/new" "the project of policy new"
grep -q 'Tests run: [1-9]' "$project/new/log" || fail "the tests of policy new's project did not run"
echo "So does the project of ./headgate policy new: $(grep -E '^\[INFO\] Tests run: [0-9]+, .*[0-9]$' "$project/new/log" | tail -n 1 | sed 's/\[INFO\] //')"
