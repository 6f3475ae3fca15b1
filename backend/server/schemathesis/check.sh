# Sourced by ./headgate: schemathesis over the API's document, against a service of its own.
# shellcheck shell=bash

help_check_api() {
  cat <<'HELP'
./headgate check api [EXAMPLES [SEED]]

Starts a service as `./headgate up --no-demo` does, in a fresh data folder on free ports, gives it a database and a domain, and runs
schemathesis over its OpenAPI document: all checks, all phases, at most EXAMPLES (80) generated requests of each operation in a phase.
Prints every finding with a command that sends its request again, what was expected and dropped (backend/server/schemathesis/expected.py
says why), the number of requests and the seed. The seed generates the same requests again as far as the service gives the same answers,
from which schemathesis takes names and ids. Keeps schemathesis' report in target/api. Takes five to ten minutes.

Exits with 1 when there is a finding, the service logs an error, or fewer than 10,000 requests passed all checks. Needs Python 3.10 or newer;
installs its venv as root on Debian.
HELP
}

check_api() {
  local examples=${1:-80} seed=${2:-20261125} folder=$root/target/api
  case ${1:-} in --help | -h) help_check_api; return ;; esac
  case $examples in '' | *[!0-9]*) refuse "check api takes a number of examples, was '$examples'" ;; esac
  case $seed in '' | *[!0-9]*) refuse "check api takes a whole number as its seed, was '$seed'" ;; esac
  need_jdk
  need_node
  need_maven
  plain_output
  mkdir -p "$folder" "$log_folder"
  python_environment api "$folder/python" "$root/backend/server/schemathesis/requirements.txt" "checking the API" || exit
  # No demo, and no limit of requests: one token makes them all.
  export HEADGATE_DEMO=false HEADGATE_LIMITS_REQUESTSPERSECOND=1000000
  before_service "$folder/python/bin/python" -B "$root/backend/server/schemathesis" "$folder" "$examples" "$seed" ||
    fail "schemathesis found something, or could not try enough"
}
