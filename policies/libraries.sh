#!/usr/bin/env bash
# policies/libraries.sh FOLDER
#
# Builds what a policy outside this checkout is written and tested with: the SPI, the testkit, the simulator, and the
# engine that the simulator runs. Leaves them in FOLDER as a Maven repository, in place of those that are there. Installs
# nothing, and leaves Maven's own repository as it is.
#
# Exit codes: 0 done; 1 the build failed; 2 no folder was named, or a tool is missing.
set -euo pipefail

readonly modules=(policies/spi policies/testkit backend/engine backend/simulator)

if [ $# != 1 ] || [ -z "$1" ]; then
  echo "policies/libraries.sh takes one folder, in which it leaves the libraries" >&2
  exit 2
fi
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)

sha1() { # FILE
  if command -v sha1sum >/dev/null; then sha1sum "$1"; else shasum "$1"; fi | cut -d' ' -f1
}

publish() { # MODULE. Its jar, and the pom that stands without a parent, where Maven looks for them
  local pom=$root/$1/target/standalone-pom.xml artifact version place file
  artifact=$(sed -n 's:^  <artifactId>\(.*\)</artifactId>$:\1:p' "$pom")
  version=$(sed -n 's:^  <version>\(.*\)</version>$:\1:p' "$pom")
  place=$folder/dev/headgate/$artifact/$version
  rm -rf "$folder/dev/headgate/$artifact"
  mkdir -p "$place"
  cp "$root/$1/target/$artifact-$version.jar" "$place/"
  cp "$pom" "$place/$artifact-$version.pom"
  for file in "$place"/*; do sha1 "$file" >"$file.sha1"; done
}

(
  cd "$root"
  IFS=,
  ./mvnw -B -ntp -q -Dmaven.test.skip=true -Dstrict=-g -pl "${modules[*]}" package flatten:flatten </dev/null
) || exit
for module in "${modules[@]}"; do publish "$module"; done
