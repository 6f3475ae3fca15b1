# Sourced by ./headgate: drivers in other languages, from their registries, through the wire port.
# shellcheck shell=bash

# Drivers from their registries, through a wire port with two connections.
test_drivers() {
  local folder=$root/target/drivers log=$log_folder/drivers-port.log pid left=600 failed=() program
  mkdir -p "$folder" "$log_folder"
  for program in psql pgbench; do
    command -v "$program" >/dev/null || install_package postgresql "testing with $program" || return
  done
  python_environment drivers "$folder/python" "$root/backend/wire/drivers/python/requirements.txt" "testing Python's drivers" || return
  node_packages drivers "$root/backend/wire/drivers/node" "testing Node's drivers" || return
  go_drivers || return
  wire_port_classes "$folder" || return
  : >"$log" # what a former run said must not be taken for an answer
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED \
    -cp "$root/backend/wire/target/test-classes:$root/backend/wire/target/classes:$(cat "$folder/headgate-wire")" \
    dev.headgate.wire.Port 2 >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill -TERM "$pid"; exit 130' INT TERM HUP
  until grep -q '^wire ' "$log"; do
    if ! kill -0 "$pid" 2>/dev/null || [ $((left -= 1)) -lt 0 ]; then
      tail -n 60 "$log" >&2
      kill -TERM "$pid" 2>/dev/null
      return 1
    fi
    sleep 0.1
  done
  export PGHOST=127.0.0.1 PGDATABASE=bank PGUSER=app PGPASSWORD='geheim-é-42' PGSSLMODE=disable PGCONNECT_TIMEOUT=15 # of Port.java
  PGPORT=$(sed -n 's/^wire \([0-9]*\) .*/\1/p' "$log")
  export PGPORT
  (cd "$root/backend/wire/drivers/python" && PYTHONDONTWRITEBYTECODE=1 "$folder/python/bin/python" -m pytest -q \
    -p no:cacheprovider --timeout=60 --tb=short) </dev/null || failed+=(python)
  (cd "$root/backend/wire/drivers/node" && npm test --silent) </dev/null || failed+=(node)
  (cd "$root/backend/wire/drivers/go" && "$go" test -count=1 -timeout 120s ./...) </dev/null || failed+=(go)
  kill -TERM "$pid"
  wait "$pid" 2>/dev/null
  trap - INT TERM HUP
  if [ ${#failed[@]} != 0 ]; then
    say "failed: ${failed[*]} (the wire port's log: $log)"
    return 1
  fi
}

go_drivers() { # sets `go`
  need_go "testing Go's driver" && quietly drivers-go "$go" -C "$root/backend/wire/drivers/go" mod download
}

help_check_drivers() {
  cat <<'HELP'
./headgate check drivers [SUITE]... [options]

Runs the test suites that drivers carry for themselves: directly against an embedded PostgreSQL, and through the wire port
in transaction mode and in session mode. Suites: pgx, pq, psycopg2, pg8000; those of psycopg, asyncpg and node_postgres
need a checkout of the driver's repository. Prints what passed and failed, and the tests that fail through the port alone.

  --paths LIST     which ways to the server, default direct,transaction,session; with a PgBouncer 1.21 or newer named in
                   HEADGATE_PGBOUNCER also pgbouncer (transaction mode) and pgbouncer-session
  --record         with HEADGATE_PGBOUNCER: writes what passes and fails through it to the committed list
  --source FOLDER  the repository's checkout, for a suite that needs it
  --results FOLDER keeps outcomes and logs there; default target/drivers/suites
  --keep           takes the outcomes that the folder has, and runs only the paths that it lacks

Exits with 1 when a test hangs, fails in session mode that passes directly and is not in suites/known/SUITE.session, or fails
in transaction mode that passes through PgBouncer (suites/known/SUITE.pgbouncer lists what does not). A test that fails directly, too,
when it is run six times by itself does not count.
Takes half an hour and more. Installs Python's venv and Go as root on Debian.
HELP
}

check_drivers() {
  local folder=$root/target/drivers
  case ${1:-} in --help | -h) help_check_drivers; return ;; esac
  need_jdk
  need_maven
  plain_output
  mkdir -p "$folder/suites" "$log_folder"
  need_venv "testing Python's drivers" || exit
  command -v pg_config >/dev/null || install_package libpq-dev "unpacking psycopg2's tests" || exit
  go_drivers || exit
  wire_port_classes "$folder" || exit
  # The script ends as this process does, and takes its servers with it.
  exec python3 -B "$root/backend/wire/drivers/suites" --java "$JAVA_HOME/bin/java" --go "$go" --folder "$folder/suites" \
    --classpath "$root/backend/wire/target/test-classes:$root/backend/wire/target/classes:$(cat "$folder/headgate-wire")" "$@"
}
