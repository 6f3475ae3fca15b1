# Sourced by ./headgate: the backend's and the policies' tests.
# shellcheck shell=bash

# Functions called behind || run without `set -e`, so each of these ends with what it has to report.
test_backend() {
  local log=$log_folder/backend-tests.log
  mkdir -p "$log_folder"
  maven verify -Dstrict=-g --fail-at-end </dev/null 2>&1 | tee "$log" |
    sed -n -E -e '/^\[ERROR\] *(-> \[Help|\[Help|To see the|Re-run Maven|For more info|After correcting|mvn <args>|$)/d' \
      -e '/^\[(INFO|WARNING)\] (Tests run:|Building Headgate|BUILD )|^\[ERROR\]/p'
  local code=${PIPESTATUS[0]}
  if [ "$code" != 0 ]; then say "(the whole log: $log)"; fi
  return "$code"
}

test_policies() { "$root/policies/outside.sh"; }
