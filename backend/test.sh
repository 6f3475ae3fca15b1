# Sourced by ./headgate: the backend's and the policies' tests.
# shellcheck shell=bash

# Functions called behind || run without `set -e`, so each of these ends with what it has to report.

# Everything is built first. Then Maven runs twice at the same time, because most tests wait for time or for a server: the
# server's tests (in two JVMs: tests.forks in its pom.xml) and the benchmarks', and those of all other modules, two at a time. Every
# line of the output names its class, so lines of two modules may come in between one another.
test_backend() {
  local code=0 server sources tests_folder
  sources=$(backend_digest)
  quietly backend-tests-build maven package -T 2 -Dstrict=-g --fail-at-end -DskipTests || return
  tests_folder=$(make_tests_folder) || return
  set -m # a process group of its own, to be ended as a whole
  run_backend_tests server -pl backend/server,backend/bench --also-make \
    '-Dtest=dev/headgate/server/**,dev/headgate/bench/**' -Dsurefire.failIfNoSpecifiedTests=false &
  server=$!
  set +m
  trap 'kill -TERM -- "-$server" 2>/dev/null; rm -rf "$tests_folder"; exit 130' INT TERM HUP
  run_backend_tests others -T 2 -pl '!backend/server,!backend/bench' || code=1
  wait "$server" || code=1
  trap - INT TERM HUP
  rm -rf "$tests_folder"
  # The jars of this are those that `up` would build.
  if [ "$code" = 0 ] && [ "$(backend_digest)" = "$sources" ]; then backend_is_built "$sources"; fi
  return "$code"
}

# The tests' servers make and delete some hundred thousand files. ext4 hands no inode out again for some seconds, and took a tenth of
# two cores to search for others; memory has no such search. They hold up to 0.6 GB.
make_tests_folder() {
  local in=${TMPDIR:-/tmp} free
  free=$(df --output=avail -B1G /dev/shm 2>/dev/null | tail -n 1)
  if [ -w /dev/shm ] && [ "${free:-0}" -ge 4 ]; then in=/dev/shm; fi
  mktemp -d "$in/headgate-tests.XXXXXX"
}

run_backend_tests() { # NAME MAVEN-ARGUMENT...
  local log=$log_folder/backend-tests-$1.log code
  maven verify -Dstrict=-g --fail-at-end "-Dtests.folder=$tests_folder" "${@:2}" </dev/null 2>&1 | tee "$log" |
    sed -u -n -E -e '/^\[ERROR\] *(-> \[Help|\[Help|To see the|Re-run Maven|For more info|After correcting|mvn <args>|$)/d' \
      -e '/^\[(INFO|WARNING)\] (Tests run:|BUILD )|^\[ERROR\]/p'
  code=${PIPESTATUS[0]}
  if [ "$code" != 0 ]; then say "(the whole log: $log)"; fi
  return "$code"
}

test_policies() { "$root/policies/outside.sh"; }
