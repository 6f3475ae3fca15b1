# Sourced by ./headgate: the commands that talk to a running service, and the one that writes a policy's project. They are a Java
# program, built when its sources have changed.
# shellcheck shell=bash

readonly cli_options=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m -Xlog:disable)

# Sets `cli` to the program that runs a command, built if need be.
prepare_cli() { # COMMAND
  local folder not_tried=2
  case $1 in diff | apply | export) not_tried=1 ;; esac # 2 is what diff says when there are changes
  find_jdk || exit "$not_tried"
  folder=$root/target/cli/$(digest pom.xml .mvn backend/cli)
  if [ ! -f "$folder/complete" ]; then build_cli "$folder" || exit "$not_tried"; fi
  # In the locale C the JVM would not understand a file's name that is not ASCII.
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in C | POSIX) export LC_ALL=C.UTF-8 ;; esac
  cli=("$JAVA_HOME/bin/java" "${cli_options[@]}" -XX:AOTCache="$folder/headgate-cli.aot" -Dheadgate.checkout="$root"
    -cp "$folder/headgate-cli.jar" dev.headgate.cli.Headgate)
}

help_cli() { # PAGE
  cat "$root/backend/cli/src/main/resources/dev/headgate/cli/$1.txt"
}

talk() { # diff|apply|export|status|login|lab ARGUMENT...
  case " $* " in *' --help '* | *' -h '*)
    case $1-${2:-} in lab-load | lab-size) help_cli "$1-$2"; return ;; esac
    case $1 in status | login | lab) help_cli "$1" ;; *) help_cli files ;; esac
    return ;;
  esac
  prepare_cli "$1"
  exec "${cli[@]}" "$@"
}

policy() { # new NAME [FOLDER]
  case " $* " in *' --help '* | *' -h '*) help_cli policy; return ;; esac
  local module
  for module in $(policy_modules); do # the service refuses a plugin with the id of one of its own
    [ "${module##*/}" != "${2:-}" ] || refuse "a policy cannot be called '$2': one of Headgate's own is"
  done
  prepare_cli policy
  "${cli[@]}" policy "$@" || exit
  say "Building the libraries that it is built with"
  quietly policy-libraries "$root/policies/libraries.sh" "${3:-$2}/libraries" || exit 1
  say "Try it: cd ${3:-$2} && mvn package"
}

# One jar, which a command opens at its start, and a cache of the classes that it loads (JEP 514): nothing is pulled from
# under a command when a later build removes the folder.
build_cli() { # FOLDER
  begin_build
  if [ ! -f "$1/complete" ]; then
    say "Building the commands"
    quietly cli-build maven package -am -Dstrict=-g -Dmaven.test.skip=true -pl backend/cli || return
    rm -rf "${1%/*}"
    mkdir -p "$1"
    cp "$root"/backend/cli/target/headgate-cli-*-all.jar "$1/headgate-cli.jar" || return
    # Without the cache, a command only starts slower.
    quietly cli-training "$JAVA_HOME/bin/java" "${cli_options[@]}" -XX:AOTCacheOutput="$1/headgate-cli.aot" \
      -cp "$1/headgate-cli.jar" dev.headgate.cli.Training || true
    touch "$1/complete"
  fi
  end_build
}
