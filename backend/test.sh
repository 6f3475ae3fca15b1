# Sourced by ./headgate: the backend's and the policies' tests.
# shellcheck shell=bash

# Functions called behind || run without `set -e`, so each of these ends with what it has to report.

# Two modules at a time, and the server's tests in two JVMs (tests.forks in its pom.xml): most tests wait for time or for a
# server. Every line of the output names its class, so lines of two modules may come in between one another.
test_backend() {
  local log=$log_folder/backend-tests.log sources
  mkdir -p "$log_folder"
  sources=$(backend_digest)
  maven verify -T 2 -Dstrict=-g --fail-at-end </dev/null 2>&1 | tee "$log" |
    sed -n -E -e '/^\[ERROR\] *(-> \[Help|\[Help|To see the|Re-run Maven|For more info|After correcting|mvn <args>|$)/d' \
      -e '/^\[(INFO|WARNING)\] (Tests run:|Building Headgate|BUILD )|^\[ERROR\]/p'
  local code=${PIPESTATUS[0]}
  if [ "$code" != 0 ]; then say "(the whole log: $log)"; fi
  # The jars of this are those that `up` would build.
  if [ "$code" = 0 ] && [ "$(backend_digest)" = "$sources" ]; then backend_is_built "$sources"; fi
  return "$code"
}

test_policies() { "$root/policies/outside.sh"; }
