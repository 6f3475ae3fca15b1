# Sourced by ./headgate: builds the service and its policies, and keeps what runs apart from what is built (docs/adr/0006).
# shellcheck shell=bash

readonly run_folder=$root/target/run # what runs, in a folder for each DIGEST; PID.up says what a process uses

readonly backend_sources=(
  pom.xml .mvn policies backend/engine backend/simulator backend/protocol backend/wire backend/sql backend/lab backend/server
)

maven() { (cd "$root" && ./mvnw -B -ntp -Dheadgate.build="$(build_name)" "$@"); }

need_maven() {
  if (cd "$root" && ./mvnw -v) >/dev/null 2>&1; then return; fi
  install_package maven "building the backend" || { (cd "$root" && ./mvnw -v); exit 2; }
}

# One build at a time. The lock ends with the last process that the build has started, however that ends. Where there is no
# flock, nothing keeps two builds apart.
begin_build() {
  mkdir -p "$root/target"
  exec 9>"$root/target/build.lock"
  if ! command -v flock >/dev/null || flock --nonblock 9; then return; fi
  say "Another ./headgate is building here; waiting for it"
  flock 9
}

end_build() { exec 9>&-; }

backend_digest() { digest "${backend_sources[@]}"; }

# The commit that changed the sources last; their digest too, if they differ from it. Without git, the digest.
build_name() {
  local commit
  commit=$(git -C "$root" log -1 --abbrev=8 --format=%h -- "${backend_sources[@]}" 2>/dev/null) || commit=''
  if [ -n "$commit" ] && [ -z "$(git -C "$root" --no-optional-locks status --porcelain -- "${backend_sources[@]}")" ]; then
    echo "$commit"
  else
    echo "${commit:+$commit.}$(backend_digest)"
  fi
}

version_and_build() { echo "$(sed -n 's|^  <version>\(.*\)</version>|\1|p' "$root/pom.xml")+$(build_name)"; }

policy_modules() { # the plugins: every folder of policies/ but the two that are libraries
  local folder
  for folder in "$root"/policies/*/; do
    folder=${folder%/}
    case ${folder##*/} in spi | testkit) ;; *) echo "policies/${folder##*/}" ;; esac
  done
}

built() { # MODULE -> its jar
  local jar
  for jar in "$root/$1"/target/*.jar; do
    case $jar in *-sources.jar | *-javadoc.jar | *-tests.jar | */original-*) ;; *) echo "$jar" ;; esac
  done
}

readonly backend_stamp=$root/backend/server/target/headgate-built

backend_is_built() { echo "$1" >"$backend_stamp"; } # DIGEST

build_backend() { # DIGEST
  if [ "$(cat "$backend_stamp" 2>/dev/null)" = "$1" ]; then return; fi
  say "Building the service (the first time takes a few minutes)"
  quietly backend-build maven package -am -Dstrict=-g -Dmaven.test.skip=true \
    -pl "backend/server,$(policy_modules | paste -sd, -)"
  backend_is_built "$1"
}

# MaxHeapFreeRatio: G1 gives no memory back. It would shrink the heap to 150 MB when little goes on, and then collect three times as often.
readonly jvm_options=(
  -Xmx512m -XX:+UseG1GC -XX:MaxHeapFreeRatio=100 -XX:+UseCompactObjectHeaders -XX:+ExitOnOutOfMemoryError
  --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow
)

# Starts the service once on a data folder of its own and stops it, to record which classes it loads (JEP 514): with them in
# a cache a start costs half the processor time. Without the cache, it only starts slower. How often what is called is not recorded
# (JEP 515): the compiler would take a start for everything that ever happens (docs/adr/0035).
train() { # FOLDER
  local pid tenths=0 log=$log_folder/training.log data=$1/training
  say "Recording what a start loads, so that later ones are faster"
  : >"$log"
  "$JAVA_HOME/bin/java" "${jvm_options[@]}" -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining \
    -XX:AOTCacheOutput="$1/app/headgate.aot" -jar "$1/app/headgate.jar" \
    --headgate.data="$data" --headgate.plugins="$1/plugins" --headgate.frontend="$1/dashboard" \
    --headgate.port=0 --headgate.wire.port=0 --headgate.demo=false >"$log" 2>&1 </dev/null &
  pid=$!
  trap 'kill -TERM "$pid"; wait "$pid"; exit 130' INT TERM HUP
  until grep -q 'Headgate is ready' "$log" || ! kill -0 "$pid" 2>/dev/null || [ $((tenths += 1)) -gt 1200 ]; do
    sleep 0.1
  done
  kill -TERM "$pid" 2>/dev/null || true
  wait "$pid" || true
  trap - INT TERM HUP
  rm -rf "$data"
}

# Sets `assembled` to the folder with everything that runs, built now if a source has changed: app/ (the service and its
# libraries), plugins/ (the policies), dashboard/. It is kept for as long as this process, or the JVM that it has noted, lives.
assemble() {
  local backend dashboard folder jar module
  begin_build
  backend=$(backend_digest) dashboard=$(frontend_digest)
  folder=$run_folder/$backend-$dashboard
  if [ ! -f "$folder/complete" ]; then
    build_frontend "$dashboard"
    build_backend "$backend"
    rm -rf "$folder"
    remove_unused
    mkdir -p "$folder/plugins"
    cp -R "$root/frontend/dist" "$folder/dashboard"
    for module in $(policy_modules); do
      jar=$(built "$module")
      cp "$jar" "$folder/plugins/${module##*/}.jar"
    done
    # Unpacked it starts faster, and only so can the JVM use a cache of its classes.
    jar=$(built backend/server)
    quietly unpack "$JAVA_HOME/bin/java" -Djarmode=tools -jar "$jar" extract --destination "$folder/app"
    mv "$folder/app/${jar##*/}" "$folder/app/headgate.jar"
    train "$folder"
    touch "$folder/complete"
  fi
  note folder "$folder"
  end_build
  assembled=$folder
}

# ---------------------------------------------------------------------------------------------------------------------
# What is in use, and by whom

note() { # KEY VALUE. Says of this process, in target/run, what others must know
  mkdir -p "$run_folder"
  printf '%s %s\n' "$1" "$2" >>"$run_folder/$$.up"
}

noted() { # FILE KEY -> the value that was noted last
  sed -n "s/^$2 //p" "$1" | tail -n 1
}

# What became of a process of ours: `runs`; `ending`, killed and its files and ports not closed yet; or nothing. Another
# program may have its number by now.
state_of() { # PID
  local line
  if [ -z "$1" ] || ! kill -0 "$1" 2>/dev/null; then return; fi
  if [ ! -d /proc/self ]; then echo runs; return; fi
  line=$(tr '\0' ' ' <"/proc/$1/cmdline") 2>/dev/null || return 0
  case $line in
    *headgate*) echo runs ;;
    '') if [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt 1 ] ||
      ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; then echo ending; fi ;;
  esac
}

# Removes the folders that nobody runs from any more, and the notes of processes that are gone.
remove_unused() {
  local notes folder user used=''
  for notes in "$run_folder"/*.up; do
    [ -f "$notes" ] || continue
    user=${notes##*/}
    if [ -n "$(state_of "${user%.up}")$(state_of "$(noted "$notes" jvm)")" ]; then
      used+=" $(noted "$notes" folder) "
    else
      rm -f "$notes"
    fi
  done
  for folder in "$run_folder"/*/; do
    folder=${folder%/}
    case $used in *" $folder "*) ;; *) rm -rf "$folder" ;; esac
  done
}

# ---------------------------------------------------------------------------------------------------------------------

wire_port_classes() { # FOLDER. Leaves the class path of the wire port's tests in FOLDER/headgate-wire
  local code=0
  begin_build
  say "Building the wire port"
  quietly drivers-build maven package dependency:build-classpath -DskipTests -Dmdep.includeScope=test \
    -Dmdep.outputFile="$1/\${project.artifactId}" -Dstrict=-g -am -pl backend/wire || code=$?
  end_build
  return "$code"
}
