# Sourced by ./headgate: how Java is checked, and checks that take long, each by its name.
# shellcheck shell=bash

# The format, and a compile in which every warning is an error.
check_java() {
  local failed=0
  say "== Java: format"
  quietly java-format maven -T 2 --fail-at-end spotless:check || failed=1
  # Jars too: without them, the tests' build compiles everything again.
  say "== Java: strict compile"
  quietly java-compile maven -T 2 --fail-at-end package -DskipTests || failed=1
  return "$failed"
}

# The wire port under all that clients and servers do to it, so many minutes (10) on one loop and as many on two.
check_soak() {
  local folder=$root/target/drivers minutes=${1:-10}
  case $minutes in '' | *[!0-9.]*) refuse "check soak takes a number of minutes, was '$minutes'" ;; esac
  need_jdk
  need_maven
  command -v pgbench >/dev/null || install_package postgresql "loading the wire port with pgbench" || exit
  mkdir -p "$folder" "$log_folder"
  wire_port_classes "$folder" || exit
  "$JAVA_HOME/bin/java" -Xmx512m --enable-native-access=ALL-UNNAMED \
    -cp "$root/backend/wire/target/test-classes:$root/backend/wire/target/classes:$(cat "$folder/headgate-wire")" \
    dev.headgate.wire.Soak "$minutes" 1 2
}

# What requests, the governor, the clock and an operator do to a gate at once, at length. Lincheck makes its classes anew for each race,
# which C2 would spend most of the time on, and looks into objects of java.util to name them.
check_races() {
  local rounds=${1:-20000} jvm='-XX:TieredStopAtLevel=1 --add-opens=java.base/java.util=ALL-UNNAMED'
  case $rounds in '' | *[!0-9]*) refuse "check races takes a number of rounds, was '$rounds'" ;; esac
  need_jdk
  plain_output
  maven test --projects backend/engine --also-make -Dtest=GateOrdersTest -Dsurefire.failIfNoSpecifiedTests=false \
    "-Dtests.compile=$jvm" "-Drounds=$rounds" -Dinterleavings=200 -Dtests.seconds=14400
}

# What governors and policies say, compared with what they say it of, in generated worlds.
check_reasons() {
  local steps=${1:-1000000}
  case $steps in '' | *[!0-9]*) refuse "check reasons takes a number of steps, was '$steps'" ;; esac
  need_jdk
  plain_output
  maven test --projects backend/lab --also-make -Dtest=ReasonsTest -Dsurefire.failIfNoSpecifiedTests=false "-Dsteps=$steps"
}

# Generated hostile inputs, each kind for so many minutes (2), from a seed that is printed or given.
check_hostile() {
  local minutes=${1:-2} seed=${2:-}
  case $minutes in '' | *[!0-9]*) refuse "check hostile takes a number of minutes, was '$minutes'" ;; esac
  case $seed in *[!0-9-]*) refuse "check hostile takes a whole number as its seed, was '$seed'" ;; esac
  need_jdk
  plain_output
  maven test --projects backend/wire,backend/server --also-make -Dtest='Hostile*Test' -Dsurefire.failIfNoSpecifiedTests=false \
    "-Dhostile.seconds=$((minutes * 60))" ${seed:+"-Dhostile.seed=$seed"}
}

# Wrong bodies, so many (1,000) for each operation that has one, from a seed that is printed or given.
check_bodies() {
  local inputs=${1:-1000} seed=${2:-}
  case $inputs in '' | *[!0-9]*) refuse "check bodies takes a number of bodies, was '$inputs'" ;; esac
  case $seed in *[!0-9-]*) refuse "check bodies takes a whole number as its seed, was '$seed'" ;; esac
  need_jdk
  plain_output
  maven test --projects backend/server --also-make -Dtest=HostileBodiesTest -Dsurefire.failIfNoSpecifiedTests=false \
    "-Dtests.compile=-XX:+TieredCompilation" -Dtests.seconds=14400 "-Dhostile.inputs=$inputs" ${seed:+"-Dhostile.seed=$seed"}
}

# Whether docs/licences.md has the libraries in the service's jar and the dashboard's packages. Asks nobody.
licences_are_listed() {
  "$JAVA_HOME/bin/jar" tf "$root"/backend/server/target/headgate-server-*.jar |
    node "$root/backend/licences.mjs" --listed "$root/docs/licences.md" "$root/frontend/package-lock.json"
}

# The licences of all that is shipped, and what the registry knows of its vulnerabilities.
check_licences() {
  local folder=$root/target/licences
  [ $# = 0 ] || refuse "check licences takes no '$1'"
  need_jdk
  need_node
  say "== Licences"
  quietly licences maven org.codehaus.mojo:license-maven-plugin:2.7.0:aggregate-add-third-party -pl backend/server,backend/cli -am \
    -Dlicense.excludedScopes=test,provided '-Dlicense.excludedGroups=dev\.headgate' "-Dlicense.outputDirectory=$folder" || exit 1
  node "$root/backend/licences.mjs" "$folder/THIRD-PARTY.txt" "$root/frontend/package-lock.json" "$root/docs/licences.md" ||
    fail "a licence is not on the list in backend/licences.mjs"
  say "== Known vulnerabilities of the dashboard's packages"
  if frontend audit --omit=dev >"$folder/audit" 2>&1 </dev/null; then
    say "none is known"
  elif grep -q 'vulnerabilit' "$folder/audit"; then
    cat "$folder/audit" >&2
    fail "packages of the dashboard have known vulnerabilities"
  else
    say "not checked: the registry does not tell"
  fi
}
