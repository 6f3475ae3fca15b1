# Sourced by ./headgate: the dashboard's tests, alone and in a browser before a service.
# shellcheck shell=bash

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
  npm_install && before_service frontend run e2e
}

before_service() { # COMMAND... Runs it before a service of its own, which HEADGATE_URL and HEADGATE_TOKEN name
  local folder code=0 service=$root/frontend/e2e/service.sh
  folder=$(mktemp -d "${TMPDIR:-/tmp}/headgate-test.XXXXXX")
  export HEADGATE_E2E_FOLDER=$folder HEADGATE_E2E_PORT HEADGATE_E2E_WIRE_PORT
  HEADGATE_E2E_PORT=$(free_port) HEADGATE_E2E_WIRE_PORT=$(free_port)
  if "$service" start; then
    (
      HEADGATE_TOKEN=$(cat "$folder/data/admin-token")
      HEADGATE_READER_TOKEN=$(cat "$folder/data/reader-token")
      export HEADGATE_TOKEN HEADGATE_READER_TOKEN HEADGATE_URL=http://127.0.0.1:$HEADGATE_E2E_PORT
      export HEADGATE_RESTART="$service restart" HEADGATE_KILL="$service kill" HEADGATE_PLUGINS="$folder/data/plugins"
      "$@" </dev/null
    ) || code=$?
  else
    code=1
  fi
  "$service" stop || code=1
  if [ "$code" = 0 ]; then rm -rf "$folder"; else say "(the service's folder and log: $folder)"; fi
  return "$code"
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}
