# Sourced by ./headgate: measurements, by name.
# shellcheck shell=bash

help_bench() {
  cat <<'HELP'
./headgate bench [NAME] [options]

Measures Headgate beside a peer in the same run. Without a name: lists the benchmarks. What was measured, and where, is
in docs/benchmarks.md.

./headgate bench all [--quick]
  All of them; those without a quick form in full.
./headgate bench peers [--quick] [--rows borrow,fairness,raise,lower,hung,killed,restart,storm]
  Headgate's DataSource beside HikariCP, Tomcat's jdbc-pool (fair and unfair), DBCP2, Agroal, Druid, c3p0 and Vibur.
./headgate bench contract
  What a DataSource promises (close, reset, interrupt, unwrap, session state), tried on the same pools.
./headgate bench report [FOLDER]
  Writes the tables of every benchmark into docs/benchmarks.md from the runs in target/bench, where each benchmark keeps its own. A row
  is of the newest full run that has it, or of the newest quick one if there is no full one. A row whose run has no file there stays
  as it is, unless this rule prefers another run.
./headgate bench worlds [--quick] [--seeds N] [--first N] [--alone] [--rows bimodal,edge,pareto,percentile,callers,trace,shift,slow_thrice,neighbour,day,crowded,storm]
  latency-cap beside the best fixed size and Netflix's Vegas and Gradient2 in hard worlds, in virtual time. --missed prints the worlds
  that miss a bar, with their seeds; --alone runs no other policy; --quick takes 2 seeds instead of 1,000; --seeds 1 --first SEED --rows WORLD --watch replays one second by second.
./headgate bench callers [--quick]
  latency-cap on a real PostgreSQL under 30 callers, with a cap on the mean and one on the 95th percentile, beside pools of every fixed
  size: seconds within the cap, throughput, changes a minute.
./headgate bench wire [--quick] [--rows simple,prepared,extended,tls,tpcb,idle,copy]
  A whole service, as `up` starts it, beside PgBouncer 1.21 or newer: HEADGATE_PGBOUNCER, or the one on the PATH; and beside
  pg_doorman 3.10 or newer, if HEADGATE_PG_DOORMAN names its program.
./headgate bench skew [--quick]
  Plans for skewed data, with the cache of unnamed statements and without.
./headgate bench size [--quick] [--rows bank,auction,user]
  What Find my size answers, and how soon, beside an exhaustive sweep of sizes 1 to 8, on the demo's loads and on one of a user's.
./headgate bench tenants [--quick]
  Many domains in one service: start, heap, threads, a page of the list of domains, the governors' steps.
./headgate bench stream [--quick] [--rows alone,overviews,pages,stalled]
  The stream of 500 domains: kB/s of an overview and of a domain's page, and the service's processor time and the age of frames with 200
  subscribers, also beside 50 that do not read.
./headgate bench page [--quick] [--rows first,ranges,open,restart]
  The dashboard in Chromium, beside 20 domains with 500 connections: the first load, ranges of 30 days,
  a domain's page open for 30 minutes (main thread, long tasks, heap), and a restart of the service.
./headgate bench attacks [--quick] [--rows all,watchers,long,slow,clients] [--only NAMES]
  A service under hostile callers: what an orderly domain notices, the heap, liveness under slow connections, 10,000 clients.
  long: beside two long requests at once.
./headgate bench sql [--quick] [--rows stream,point,first,heap,queries,fork,gallery,connections]
  SQL over HTTP beside psql's COPY and pgbench: streaming, single rows, time to the first row, heap, slow readers in 64 MB.
  queries: 50 queries at an added round trip of 0 to 78 ms, beside JDBC, Vert.x and R2DBC. fork: one to eight databases in one request.
  connections: 10,000 open HTTP connections beside 100; needs 10,500 open files (ulimit -n).
These need pgbench, psql and taskset, and at least two cores.
HELP
}

bench() {
  case " $* " in *' --help '* | *' -h '*) help_bench; return ;; esac
  # These start a service by `up`: what it runs is built here, where it can be seen.
  case ${1:-} in wire | skew | size | tenants | stream | page | attacks | sql | all) need_jdk; assemble ;; esac
  case ${1:-} in page | all) need_node; need_chromium "measuring pages" || exit 2; npm_install ;; esac
  measure backend/bench dev.headgate.bench.Bench "$@"
}

measure() { # MODULE MAIN-CLASS ARGUMENT... Builds one module and runs its main class from Maven's class path
  local module=$1 main=$2 want stamp=$root/$1/target/headgate-built
  shift 2
  need_jdk
  begin_build
  want=$(digest pom.xml .mvn policies backend/engine backend/simulator backend/lab backend/protocol backend/wire backend/sql "$module")
  if [ "$(cat "$stamp" 2>/dev/null)" != "$want" ]; then
    say "Building $module"
    quietly "${module##*/}-build" maven package -am -Dstrict=-g -Dmaven.test.skip=true -pl "$module"
    echo "$want" >"$stamp"
  fi
  end_build
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
    -Dheadgate.checkout="$root" -Dheadgate.version="$(version_and_build)" -cp "$root/$module/target/classes:$(cat "$root/$module/target/classpath")" "$main" "$@"
}
