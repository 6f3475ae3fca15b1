# Sourced by ./headgate and ./mvnw: finds the JDK that builds and runs Headgate.
# shellcheck shell=bash

readonly JDK_MAJOR=25

# Major version of the JDK in a folder, from its `release` file: starting a JVM to ask it costs half a second. Empty
# when there is no JDK (a compiler is needed, so a bare runtime does not count).
jdk_major() { # FOLDER
  [ -x "$1/bin/javac" ] || return 0
  sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

# The folder behind the `java` on PATH, links followed.
jdk_of_path() {
  local java
  java=$(command -v java) || return 0
  while [ -L "$java" ]; do
    case $(readlink "$java") in
      /*) java=$(readlink "$java") ;;
      *) java=$(dirname "$java")/$(readlink "$java") ;;
    esac
  done
  (cd "$(dirname "$java")/.." && pwd -P)
}

# Sets and exports JAVA_HOME, or says on standard error what was found instead and how to get it, and returns 2.
find_jdk() {
  local folder major seen=''
  for folder in "${JAVA_HOME:-}" "$(jdk_of_path)" \
    /usr/lib/jvm/* /usr/java/* /opt/jdk* /opt/java* /opt/*/jdk* /opt/*jdk* "$HOME"/.sdkman/candidates/java/* \
    "${ASDF_DATA_DIR:-$HOME/.asdf}"/installs/java/* "$HOME"/.local/share/mise/installs/java/* "$HOME"/.jdks/* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home /usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
    [ -n "$folder" ] || continue
    major=$(jdk_major "$folder")
    if [ "$major" = "$JDK_MAJOR" ]; then
      export JAVA_HOME=$folder
      return 0
    fi
    case ${major:+$seen} in *" $folder"*) ;; *) seen=$seen${major:+"  found JDK $major in $folder"$'\n'} ;; esac
  done
  {
    echo "JDK $JDK_MAJOR is needed and was not found (looked in JAVA_HOME, PATH and the usual folders)."
    printf '%s' "$seen"
    cat <<MISSING
Any of these gives it; then run the command again:
  SDKMAN           sdk install java $JDK_MAJOR-tem
  macOS            brew install --cask temurin@$JDK_MAJOR
  Debian, Ubuntu   apt-get install openjdk-$JDK_MAJOR-jdk   (or temurin-$JDK_MAJOR-jdk from Adoptium, where it is older)
  anywhere         unpack a JDK $JDK_MAJOR and set JAVA_HOME to its folder
MISSING
  } >&2
  return 2
}
