# Sourced by ./headgate: finds Node and a browser, and builds the dashboard.
# shellcheck shell=bash

node_fits() { # FOLDER with node in it. Vite's bounds: 20.19, 22.12, anything newer
  local major minor rest
  IFS=. read -r major minor rest < <("$1/node" --version 2>/dev/null) || return 1
  case ${major#v} in
    '' | *[!0-9]*) return 1 ;;
    20) [ "$minor" -ge 19 ] ;;
    22) [ "$minor" -ge 12 ] ;;
    *) [ "${major#v}" -gt 22 ] ;;
  esac
}

need_node() { # puts a fitting Node first on PATH
  local folder found
  found=$(command -v node || true)
  for folder in "${found%/*}" "$HOME"/.nvm/versions/node/*/bin "$HOME"/.local/share/fnm/node-versions/*/installation/bin \
    "${ASDF_DATA_DIR:-$HOME/.asdf}"/installs/nodejs/*/bin "$HOME"/.volta/tools/image/node/*/bin \
    /usr/bin /usr/local/bin /opt/homebrew/bin /opt/node*/bin; do
    if [ -x "$folder/node" ] && node_fits "$folder"; then
      export PATH=$folder:$PATH
      return
    fi
  done
  {
    echo "Node 20.19 or newer (of 22: 22.12) is needed to build the dashboard and was not found."
    if [ -n "$found" ]; then echo "  found $("$found" --version 2>/dev/null) at $found"; fi
    cat <<'MISSING'
Any of these gives it; then run the command again:
  nvm              nvm install 22
  macOS            brew install node
  anywhere         unpack a release of Node and put its bin folder on PATH
MISSING
  } >&2
  exit 2
}

frontend() { (cd "$root/frontend" && npm "$@"); }

npm_install() { # when the lock file is not the one that node_modules was made from
  local want stamp=$root/frontend/node_modules/.headgate-lock
  want=$(cd "$root/frontend" && "${sha256[@]}" package-lock.json)
  if [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  say "Installing the dashboard's packages"
  quietly npm-ci frontend ci --no-audit --no-fund
  echo "$want" >"$stamp"
}

frontend_digest() { digest frontend; }

build_frontend() { # DIGEST
  local stamp=$root/frontend/node_modules/.headgate-built
  if [ -f "$root/frontend/dist/index.html" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$1" ]; then return; fi
  need_node
  npm_install
  say "Building the dashboard"
  quietly frontend-build frontend run build
  echo "$1" >"$stamp"
}

need_chromium() { # PURPOSE. Sets CHROMIUM
  export CHROMIUM
  CHROMIUM=$(find_chromium) || { install_package chromium "$1" && CHROMIUM=$(find_chromium); }
}

find_chromium() {
  local name
  for name in chromium chromium-browser google-chrome-stable google-chrome \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if command -v "$name"; then return; fi
  done
  return 1
}
