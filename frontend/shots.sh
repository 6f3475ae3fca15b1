# Sourced by ./headgate, after test.sh: pictures of the dashboard's pages, from a service of its own under the demo's load.
# shellcheck shell=bash

help_shots() {
  cat <<'HELP'
./headgate shots [--docs] [--out FOLDER] [ONLY]

Makes pictures of every page of the dashboard, 360, 1280 and 2560 px wide, in both themes, from a service of its own under
the demo's load: also while a domain is drained (NAME-trouble), and with sixty more domains (NAME-many). The pages of the lab
show two short runs. The first-run guide is that of a second service, without the demo. Ten to fifteen minutes.

  --out FOLDER  where to; default target/shots
  --docs        makes the pictures of the documentation instead, in docs/screenshots
  ONLY          a regular expression: only the pictures with such names (overview-1280-light)
HELP
}

shots() {
  local out='' only='' docs=''
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) help_shots; return ;;
      --docs) docs=--docs ;;
      --out) [ $# -gt 1 ] || refuse "--out needs a folder"; out=$2; shift ;;
      --out=*) out=${1#*=} ;;
      -*) refuse "shots does not know '$1'; allowed are --docs, --out, --help, and a regular expression" ;;
      *) only=$1 ;;
    esac
    shift
  done
  if [ -z "$out" ]; then if [ -z "$docs" ]; then out=$root/target/shots; else out=$root/docs/screenshots; fi; fi
  case $out in /*) ;; *) out=$PWD/$out ;; esac
  need_jdk
  need_node
  need_maven
  need_chromium "making pictures" || exit 2
  npm_install
  before_service make_shots "$out" "$only" ${docs:+"$docs"} || fail "the pictures were not made"
  if [ -z "$docs" ] && printf 'guide-%s\n' {360,1280,2560}-{light,dark} | grep -qE -- "$only"; then
    HEADGATE_E2E_OPTIONS=--no-demo before_service guide_shots "$out" "$only" || fail "the guide's pictures were not made"
  fi
  say "The pictures are in $out"
}

make_shots() { # FOLDER ONLY [--docs]. The charts show two minutes: there must be some
  sleep "${HEADGATE_SHOTS_AFTER:-90}"
  (cd "$root/frontend" && node dev/shots.mjs "${@:3}" "$1" "$2")
}

guide_shots() { # FOLDER ONLY
  (cd "$root/frontend" && node dev/shots.mjs --guide "$1" "$2")
}
