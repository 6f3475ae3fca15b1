# Sourced by ./headgate: how the dashboard is checked, and its tests, alone and in a browser before a service.
# shellcheck shell=bash

check_dashboard() {
  say "== Dashboard: Biome and tsc"
  npm_install && frontend run --silent check </dev/null
}

test_frontend() {
  npm_install && frontend test </dev/null && page_sizes
}

page_sizes() { # of the build that `up` serves
  local code=0
  begin_build
  { build_frontend "$(frontend_digest)" && frontend run --silent budget; } || code=$?
  end_build
  return "$code"
}

test_browser() {
  need_chromium "testing in a browser" || return
  npm_install && before_services 2 frontend run e2e
}

before_service() { # COMMAND... Runs it before a service of its own, which HEADGATE_URL and HEADGATE_TOKEN name
  before_services 1 "$@"
}

# Runs COMMAND before COUNT services of its own. HEADGATE_URL, HEADGATE_TOKEN and the others have a line for each.
before_services() { # COUNT COMMAND...
  local folder code=0 index port wire_port command started=0 service=$root/frontend/e2e/service.sh
  local urls=() tokens=() readers=() restarts=() kills=() plugins=() folders=()
  folder=$(mktemp -d "${TMPDIR:-/tmp}/headgate-test.XXXXXX")
  for ((index = 0; index < $1; index++)); do
    port=$(free_port) wire_port=$(free_port)
    mkdir "$folder/$index"
    started=$((index + 1))
    HEADGATE_E2E_FOLDER=$folder/$index HEADGATE_E2E_PORT=$port HEADGATE_E2E_WIRE_PORT=$wire_port "$service" start ||
      { code=1; break; }
    command=$(printf '%q ' env "HEADGATE_E2E_FOLDER=$folder/$index" "HEADGATE_E2E_PORT=$port" \
      "HEADGATE_E2E_WIRE_PORT=$wire_port" "$service")
    urls+=("http://127.0.0.1:$port") plugins+=("$folder/$index/data/plugins") folders+=("$folder/$index/data")
    tokens+=("$(cat "$folder/$index/data/admin-token")") readers+=("$(cat "$folder/$index/data/reader-token")")
    restarts+=("${command}restart") kills+=("${command}kill")
  done
  if [ "$code" = 0 ]; then
    (
      HEADGATE_URL=$(lines "${urls[@]}") HEADGATE_TOKEN=$(lines "${tokens[@]}") HEADGATE_READER_TOKEN=$(lines "${readers[@]}")
      HEADGATE_RESTART=$(lines "${restarts[@]}") HEADGATE_KILL=$(lines "${kills[@]}") HEADGATE_PLUGINS=$(lines "${plugins[@]}")
      HEADGATE_DATA=$(lines "${folders[@]}")
      export HEADGATE_URL HEADGATE_TOKEN HEADGATE_READER_TOKEN HEADGATE_RESTART HEADGATE_KILL HEADGATE_PLUGINS HEADGATE_DATA
      "${@:2}" </dev/null
    ) || code=$?
  fi
  for ((index = 0; index < started; index++)); do
    HEADGATE_E2E_FOLDER=$folder/$index "$service" stop || code=1
  done
  if [ "$code" = 0 ]; then rm -rf "$folder"; else say "(the services' folders and logs: $folder)"; fi
  return "$code"
}

lines() { printf '%s\n' "$@"; }

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}
