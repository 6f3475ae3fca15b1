# Sourced by ./headgate: what tests in other languages stand on, installed once for what is pinned beside each test.
# shellcheck shell=bash

need_venv() { # PURPOSE
  if python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then return; fi
  install_package python3-venv "$1"
}

python_environment() { # NAME FOLDER REQUIREMENTS PURPOSE. Makes a virtual environment, again when the requirements change
  local want stamp=$2/headgate-requirements
  want=$("${sha256[@]}" "$3" | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  need_venv "$4" || return
  say "Installing Python's packages for $4"
  rm -rf "$2"
  quietly "$1-venv" python3 -m venv "$2" || return
  quietly "$1-pip" "$2/bin/pip" install --disable-pip-version-check -r "$3" || return
  echo "$want" >"$stamp"
}

node_packages() { # NAME FOLDER PURPOSE. Installs what the lock file names, again when it changes
  local want stamp=$2/node_modules/.headgate-lock
  want=$("${sha256[@]}" "$2/package-lock.json" | cut -d' ' -f1)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  say "Installing Node's packages for $3"
  quietly "$1-npm" npm --prefix "$2" ci --no-audit --no-fund || return
  echo "$want" >"$stamp"
}

need_go() { # PURPOSE. Sets `go`
  go=$(find_go) || { install_package golang "$1" && go=$(find_go); } || {
    say "$1 needs Go 1.21 or newer, in the path or in /usr/local/go"
    return 1
  }
}

find_go() {
  local found
  for found in "$(command -v go)" /usr/local/go/bin/go /usr/lib/go/bin/go; do
    # from 1.21 on Go fetches the version that a module wants, and says 1.21.0 and not 1.21
    if [ -x "$found" ] && "$found" version | grep -qE 'go1\.(2[1-9]|[3-9][0-9])'; then
      echo "$found"
      return
    fi
  done
  return 1
}
