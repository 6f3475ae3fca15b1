# Sourced by ./headgate: runs the service in the foreground.
# shellcheck shell=bash

help_up() {
  cat <<'HELP'
./headgate up [options]

Builds what has changed, starts Headgate in the foreground and prints its address when it is ready. Ctrl-C stops it.
The first start also sets up an embedded PostgreSQL in the data folder, with three demo domains under live load.

  --port PORT       of the dashboard and the API, on 127.0.0.1; default 8080
  --wire-port PORT  of the PostgreSQL wire port, on 127.0.0.1; default 6432
  --data FOLDER     what must outlive the process: token, keys, embedded PostgreSQL; default .headgate in the checkout
  --config FILE     settings in YAML (docs/operations.md); default headgate.yaml in the checkout, if there is one.
                    Policy documents in it (docs/policy-files.md) are applied at the start
  --no-demo         start without demo domains and loads

HEADGATE_JAVA_OPTIONS is passed to the JVM, after our own options (-Xmx512m).
HELP
}

value_of() { # OPTION NEXT-ARGUMENT... -> the option's value; both `--port 80` and `--port=80` are understood
  case $1 in
    *=*) echo "${1#*=}" ;;
    *) if [ $# -lt 2 ]; then refuse "$1 needs a value"; fi; echo "$2" ;;
  esac
}

port_number() { # OPTION VALUE
  case $2 in '' | *[!0-9]* | ??????*) refuse "$1 must be a port number from 1 to 65535, was '$2'" ;; esac
  if [ "$2" -lt 1 ] || [ "$2" -gt 65535 ]; then refuse "$1 must be a port number from 1 to 65535, was $2"; fi
}

listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

up() {
  local port='' wire_port='' data=$root/.headgate config='' arguments=()
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) help_up; return ;;
      --no-demo) arguments+=(--headgate.demo=false); shift; continue ;;
      --port | --port=*) port=$(value_of "$@"); port_number --port "$port" ;;
      --wire-port | --wire-port=*) wire_port=$(value_of "$@"); port_number --wire-port "$wire_port" ;;
      --data | --data=*) data=$(value_of "$@"); [ -n "$data" ] || refuse "--data must name a folder, was empty" ;;
      --config | --config=*) config=$(value_of "$@"); [ -f "$config" ] || refuse "--config: there is no file '$config'" ;;
      *) refuse "up does not know '$1'; allowed are --port, --wire-port, --data, --config, --no-demo, --help" ;;
    esac
    case $1 in *=*) shift ;; *) shift 2 ;; esac
  done
  if [ -z "$config" ] && [ -f "$root/headgate.yaml" ]; then config=$root/headgate.yaml; fi
  if [ -e "$data" ] && [ ! -d "$data" ]; then refuse "--data must be a folder, '$data' is a file"; fi
  # Where a file or the environment may set the port too, the service finds out itself whether it is free.
  if [ -z "$port$config${HEADGATE_PORT:-}" ]; then port=8080; fi
  if [ -z "$wire_port$config${HEADGATE_WIRE_PORT:-}${HEADGATE_WIRE_ENABLED:-}" ]; then wire_port=6432; fi
  await_ending "$port" "$wire_port" "$data"
  if [ -n "$port" ] && listening "$port"; then
    fail "port $port is taken: something listens on 127.0.0.1:$port. Stop it, or choose another with --port."
  fi
  if [ -n "$wire_port" ] && listening "$wire_port"; then
    fail "wire port $wire_port is taken: something listens on 127.0.0.1:$wire_port. Stop it, or choose another with --wire-port."
  fi
  need_jdk
  rm -f "$run_folder/$$.up" # of a process that had this number before
  assemble
  mkdir -p "$data/plugins"
  data=$(cd "$data" && pwd)
  chmod 700 "$data"
  install_plugins "$data/plugins"

  arguments+=(
    --headgate.data="$data" --headgate.plugins="$data/plugins" --headgate.frontend="$assembled/dashboard"
  )
  note data "$data"
  if [ -n "$port" ]; then
    note port "$port"
    arguments+=(--headgate.port="$port")
  fi
  if [ -n "$wire_port" ]; then
    note wire-port "$wire_port"
    arguments+=(--headgate.wire.port="$wire_port")
  fi
  if [ -n "$config" ]; then
    config=$(cd "$(dirname "$config")" && pwd)/${config##*/}
    arguments+=(--spring.config.additional-location="file:$config")
    # The same file may hold policy documents beside the settings, or nothing else. However YAML writes them (quoted, indented, after
    # a byte order mark), and whatever is wrong with them: the service reads them and says so.
    if grep -Eq '^[^#]*apiVersion|^(databases|domains):' "$config"; then arguments+=(--headgate.files="$config"); fi
  fi
  run_service "$assembled/app/headgate.jar" "$data/heap.log" "${arguments[@]}"
}

# Waits for an earlier `up` that has the port, the wire port or the data folder and is ending: it is stopping, it was killed, or
# its JVM was. One that runs is not waited for.
await_ending() { # PORT WIRE-PORT DATA
  local notes data jvm tenths=0
  data=$(cd "$3" 2>/dev/null && pwd) || data=
  for notes in "$run_folder"/*.up; do
    if [ ! -f "$notes" ]; then continue; fi
    if ! { [ -n "$1" ] && [ "$(noted "$notes" port)" = "$1" ]; } &&
      ! { [ -n "$2" ] && [ "$(noted "$notes" wire-port)" = "$2" ]; } &&
      ! { [ -n "$data" ] && [ "$(noted "$notes" data)" = "$data" ]; }; then continue; fi
    jvm=$(noted "$notes" jvm)
    if [ "$(state_of "$(basename "$notes" .up)")" = runs ] && [ -z "$(noted "$notes" stopping)" ] &&
      [ "$(state_of "$jvm")" != ending ]; then continue; fi
    until [ -z "$(state_of "$jvm")" ] || [ $((tenths += 1)) -gt 120 ]; do
      if [ "$tenths" = 1 ]; then say "An earlier Headgate (process $jvm) is ending; waiting for it, at most 12 s"; fi
      sleep 0.1
    done
  done
}

install_plugins() { # FOLDER. The policies that ship; a jar is replaced whole, for a service may have the old one open
  local jar target
  for jar in "$assembled"/plugins/*.jar; do
    target=$1/${jar##*/}
    if ! cmp -s "$jar" "$target"; then
      cp "$jar" "$target.new"
      mv "$target.new" "$target"
    fi
  done
}

# What filled the heap: the head of the JVM's last list of classes.
tell_heap() { # HEAP-LOG
  say "The heap ran out. Its classes with the most bytes (all of them are in $1):"
  awk '{ sub(/^GC\([0-9]+\) /, "") } /#instances/ { n = 0; listed = 1 } listed && n < 22 { line[n++] = $0 } END { for (i = 0; i < n; i++) print line[i] }' "$1" >&2
}

run_service() { # JAR HEAP-LOG ARGUMENT... Runs in the foreground; a signal stops it cleanly, a second one at once
  local jar=$1 heap_log=$2 pid code=0 stopping='' killer='' options=("${jvm_options[@]}")
  shift 2
  # A full collection lists the classes on the heap there. They are rare, and the last thing before the heap runs out, also where
  # one allocation is larger than all that is free.
  options+=("-Xlog:gc+classhisto=trace:file=\"$heap_log\":none:filecount=1,filesize=64M")
  if [ -f "${jar%.jar}.aot" ]; then options+=(-XX:AOTCache="${jar%.jar}.aot"); fi
  # Unquoted: HEADGATE_JAVA_OPTIONS is a list of words.
  # shellcheck disable=SC2086
  "$JAVA_HOME/bin/java" "${options[@]}" ${HEADGATE_JAVA_OPTIONS:-} -jar "$jar" "$@" </dev/null &
  pid=$!
  note jvm "$pid"
  # Where this process is killed, the end of the pipe says so, and the service stops all the same.
  exec 8> >(trap '' INT TERM HUP; read -r _ || kill -TERM "$pid" 2>/dev/null)
  # In a script a background process ignores Ctrl-C, so the service hears of it from here alone, and once. It ends itself
  # within 9 s whatever stands still. Where not even that works it is killed, in time for this process to end within 10 s.
  # One stop may come as two signals: the kernel and a shell both tell of a terminal that is closed, `timeout` tells this process
  # and its group. So only one that comes later is a second one.
  trap 'if [ -n "$stopping" ]; then
      if [ $((SECONDS - stopping)) -ge 2 ]; then kill -KILL "$pid"; fi
    else
      stopping=$SECONDS
      note stopping yes
      kill -TERM "$pid"
      (trap - INT TERM HUP; sleep 9.3; kill -KILL "$pid") >/dev/null 2>&1 </dev/null 8>&- &
      killer=$!
    fi' INT TERM HUP
  while :; do
    code=0
    wait "$pid" || code=$?
    kill -0 "$pid" 2>/dev/null || break
  done
  trap - INT TERM HUP
  trap '' PIPE # whoever listens may have been killed too
  echo ended >&8 || true
  rm -f "$run_folder/$$.up"
  if [ -n "$killer" ]; then kill "$killer" 2>/dev/null || true; fi
  if [ "$code" = 3 ] && [ -s "$heap_log" ]; then tell_heap "$heap_log"; fi
  if [ -n "$stopping" ] && [ "$code" = 143 ]; then code=0; fi # 143: ended by the TERM we sent
  return "$code"
}
