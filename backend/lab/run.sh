# Sourced by ./headgate: a link between two programs. It is a Java program of the lab, built when its sources have changed.
# shellcheck shell=bash

help_link() {
  cat <<'HELP'
./headgate lab link --listen PORT --to HOST:PORT [--delay TIME] [--jitter TIME] [--bandwidth RATE] [--pieces BYTES] [--black-hole]

A link between any two programs that speak TCP, such as an application and Headgate's wire port, or Headgate and PostgreSQL. Whoever
connects to PORT of this machine reaches HOST:PORT over a line that is slow or bad. Needs no running Headgate. Ctrl-C ends it.

At its start it measures what it adds to a round trip by itself, and prints it. Each second in which something passed it prints the open
and the new connections and the bytes each way. Every option but the first two can also be typed while it runs, as a line without its
hyphens; `off` ends one of them. Without a terminal it takes lines from its input until that ends, and then runs on.

  delay 20ms         a round trip takes so much longer (calibrated), half of it each way. Connecting takes no longer
  jitter 5ms         bytes are later by a random time of up to this, each way; their order stays
  bandwidth 1MB/s    of each connection, each way; a low one is a slow reader
  pieces 3           bytes are written in pieces of at most so many, in the middle of messages
  black-hole         bytes vanish and connections stay; `black-hole off` resets those that lost some
  drop               ends all connections, as a program does that closes them; new ones are taken
  reset              ends all connections with an RST; new ones are taken
  clear              no delay and no fault; what is under way arrives at once
  status             what is set, and what has passed since the start
  help               this list

A change holds from the next bytes. What is under way, at most 1 MB each way of a connection, still arrives as before, unless by clear.
To run it in the background of a terminal, give it `</dev/null`.

Exit codes: 0 stopped; 1 it failed, and says why; 2 it could not be tried (a wrong option).
HELP
}

# Runs from a jar that a later build leaves alone, as a link may run for long.
link() { # OPTION...
  local folder jar
  case " $* " in *' --help '* | *' -h '*) help_link; return ;; esac
  need_jdk
  folder=$root/target/link/$(digest pom.xml .mvn policies/spi backend/engine backend/sql backend/lab)
  begin_build
  if [ ! -f "$folder/headgate-lab.jar" ]; then
    say "Building the link"
    quietly link-build maven package -am -Dstrict=-g -Dmaven.test.skip=true -pl backend/lab || exit 2
    jar=$(built backend/lab)
    rm -rf "${folder%/*}"
    mkdir -p "$folder"
    cp "$jar" "$folder/headgate-lab.jar"
  fi
  end_build
  exec "$JAVA_HOME/bin/java" -cp "$folder/headgate-lab.jar" dev.headgate.lab.link.LinkProgram "$@"
}
