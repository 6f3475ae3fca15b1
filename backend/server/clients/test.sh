# Sourced by ./headgate: clients in other languages, generated from the API's document, against a service with its demo.
# shellcheck shell=bash

# Generates and compiles a client for each language from backend/server/openapi.json, and makes one journey with each: follow
# a list page by page, read a domain, put a policy set with If-Match, be told of a stale revision, read decisions. Then programs
# on Neon's driver, drizzle and kysely.
test_clients() {
  local folder=$root/target/clients
  mkdir -p "$folder" "$log_folder"
  generate_clients "$folder" "$root/backend/server/openapi.json" && before_service make_journeys "$folder"
}

generate_clients() { # FOLDER DOCUMENT
  local sources=$root/backend/server/clients
  python_environment clients "$1/python" "$sources/python/requirements.txt" "testing the generated Python client" || return
  mkdir -p "$1/generated" "$sources/go/api"
  PATH=$1/python/bin:$PATH quietly clients-python "$1/python/bin/openapi-python-client" generate --path "$2" \
    --output-path "$1/generated/headgate_client" --overwrite --meta none || return
  need_go "testing the generated Go client" || return
  quietly clients-go "$go" -C "$sources/go" tool oapi-codegen -config generate.yaml "$2" || return
  node_packages clients "$sources/typescript" "testing the generated TypeScript client" || return
  quietly clients-typescript npm --prefix "$sources/typescript" run generate || return
  node_packages serverless "$sources/serverless" "testing SQL over HTTP" || return
  quietly clients-tsc npm --prefix "$sources/typescript" run build || return
  quietly clients-java "$root/mvnw" -B -ntp -f "$sources/java/pom.xml" test-compile
}

make_journeys() { # FOLDER. Before the service of HEADGATE_URL
  local sources=$root/backend/server/clients failed=()
  (cd "$sources/python" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$1/generated "$1/python/bin/python" -m pytest -q \
    -p no:cacheprovider --timeout=60 --tb=short) </dev/null || failed+=(python)
  (cd "$sources/go" && "$go" test -count=1 -timeout 120s ./...) </dev/null || failed+=(go)
  (cd "$sources/typescript" && npm test --silent) </dev/null || failed+=(typescript)
  (cd "$sources/serverless" && npm test --silent) </dev/null || failed+=(serverless)
  quietly clients-java-test "$root/mvnw" -B -ntp -f "$sources/java/pom.xml" test || failed+=(java)
  if [ ${#failed[@]} != 0 ]; then say "failed: ${failed[*]}"; return 1; fi
}
