#!/usr/bin/env bash
# start | stop | restart | kill: the service that the browser tests look at, in a folder of its own.
#
#   HEADGATE_E2E_FOLDER=FOLDER HEADGATE_E2E_PORT=PORT HEADGATE_E2E_WIRE_PORT=PORT service.sh start
#
# HEADGATE_E2E_OPTIONS: more options of ./headgate up, such as --no-demo.
# HEADGATE_E2E_AWAY: how many seconds a restart leaves it stopped, beside those that it takes to stop and start; default 0.
set -euo pipefail
checkout=$(cd "$(dirname "$0")/../.." && pwd)
readonly checkout folder=$HEADGATE_E2E_FOLDER
read -ra options <<<"${HEADGATE_E2E_OPTIONS:-}"
cd "$folder"

gone() { ! kill -0 "$1" 2>/dev/null; }

await() { # SECONDS COMMAND...
  local left=$(($1 * 10))
  shift
  until "$@"; do
    if [ $((left -= 1)) -lt 0 ]; then return 1; fi
    sleep 0.1
  done
}

ready() { grep -q 'Headgate is ready' log || gone "$(cat pid)"; }

start() {
  : >log
  # It lives for minutes: the thorough compiler would work beside the browser for longer than it saves.
  export JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1
  nohup "$checkout/headgate" up --port "$HEADGATE_E2E_PORT" --wire-port "$HEADGATE_E2E_WIRE_PORT" --data "$folder/data" \
    "${options[@]}" >log 2>&1 </dev/null &
  echo $! >pid
  if ! await 600 ready || gone "$(cat pid)"; then cat log >&2; exit 1; fi
}

stop() {
  local pid
  pid=$(cat pid 2>/dev/null) || return 0
  kill -TERM "$pid" 2>/dev/null || return 0
  await 10 gone "$pid" || { echo "The service did not stop within 10 s" >&2; cat log >&2; exit 1; }
}

kill_it() { # the JVM, as a crash would end it; what started it ends with it
  pkill -KILL -P "$(cat pid)"
  await 60 gone "$(cat pid)"
}

case $1 in
  start) start ;;
  stop) stop ;;
  restart) stop; sleep "${HEADGATE_E2E_AWAY:-0}"; start ;;
  kill) kill_it ;;
esac
