# Sourced by ./headgate: clients in other languages, generated from the API's document, against a service with its demo.
# shellcheck shell=bash

# Generates and compiles a client for each language from backend/server/openapi.json, and makes one journey with each: follow
# a list page by page, read a domain, put a policy set with If-Match, be told of a stale revision, read decisions.
test_clients() {
  local folder=$root/target/clients data code=0 failed=() service=$root/frontend/e2e/service.sh
  local sources=$root/backend/server/clients document=$root/backend/server/openapi.json
  mkdir -p "$folder" "$log_folder"
  python_clients "$folder" "$document" && go_clients "$document" && typescript_clients || return
  data=$(mktemp -d "${TMPDIR:-/tmp}/headgate-clients.XXXXXX")
  export HEADGATE_E2E_FOLDER=$data HEADGATE_E2E_PORT HEADGATE_E2E_WIRE_PORT
  HEADGATE_E2E_PORT=$(free_port) HEADGATE_E2E_WIRE_PORT=$(free_port)
  if "$service" start; then
    HEADGATE_TOKEN=$(cat "$data/data/admin-token")
    export HEADGATE_TOKEN HEADGATE_URL=http://127.0.0.1:$HEADGATE_E2E_PORT
    (cd "$sources/python" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$folder/generated "$folder/python/bin/python" -m pytest -q \
      -p no:cacheprovider --timeout=60 --tb=short) </dev/null || failed+=(python)
    (cd "$sources/go" && "$go" test -count=1 -timeout 120s ./...) </dev/null || failed+=(go)
    (cd "$sources/typescript" && npm test --silent) </dev/null || failed+=(typescript)
  else
    code=1
  fi
  "$service" stop || code=1
  if [ "$code" = 0 ] && [ ${#failed[@]} = 0 ]; then rm -rf "$data"; return; fi
  say "failed: ${failed[*]:-the service} (the service's folder and log: $data)"
  return 1
}

python_clients() { # FOLDER DOCUMENT
  local want stamp=$1/python/headgate-requirements requirements=$root/backend/server/clients/python/requirements.txt
  want=$("${sha256[@]}" "$requirements" | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
    if ! python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      install_package python3-venv "testing the generated Python client" || return
    fi
    say "Installing the generator of the Python client"
    rm -rf "$1/python"
    quietly clients-venv python3 -m venv "$1/python" || return
    quietly clients-pip "$1/python/bin/pip" install --disable-pip-version-check -r "$requirements" || return
    echo "$want" >"$stamp"
  fi
  mkdir -p "$1/generated"
  PATH=$1/python/bin:$PATH quietly clients-python "$1/python/bin/openapi-python-client" generate --path "$2" \
    --output-path "$1/generated/headgate_client" --overwrite --meta none
}

go_clients() { # DOCUMENT. Sets `go`
  go=$(find_go) || { install_package golang "testing the generated Go client" && go=$(find_go); } || {
    say "testing the generated Go client needs Go 1.21 or newer, in the path or in /usr/local/go"
    return 1
  }
  mkdir -p "$root/backend/server/clients/go/api"
  quietly clients-go "$go" -C "$root/backend/server/clients/go" tool oapi-codegen -config generate.yaml "$1"
}

typescript_clients() {
  local want folder=$root/backend/server/clients/typescript
  want=$("${sha256[@]}" "$folder/package-lock.json" | cut -d' ' -f1)
  if [ "$(cat "$folder/node_modules/.headgate-lock" 2>/dev/null)" != "$want" ]; then
    say "Installing the generator of the TypeScript client"
    quietly clients-npm npm --prefix "$folder" ci --no-audit --no-fund || return
    echo "$want" >"$folder/node_modules/.headgate-lock"
  fi
  quietly clients-typescript npm --prefix "$folder" run generate && quietly clients-tsc npm --prefix "$folder" run build
}
