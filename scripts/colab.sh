#!/usr/bin/env bash
# Prepares the machine of a Google Colab notebook. In the notebook's first cell:
#   !git clone --depth 1 https://github.com/agekit/age && age/scripts/colab.sh
# Installs Go, builds the program and the kernels' tools, and installs the kernels for
# Colab's own Jupyter. Colab does not promise that kernels other than its own work.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
version=1.26.8
sha256=d0f743b33e8d8945e6b1f432edd15785c70507121d6e2a723b21285eddf8b57b
# The kernels look for Go in /usr/local; the tests name another folder.
prefix=${1:-/usr/local}

if [ -z "${COLAB_RELEASE_TAG:-}" ]; then
  echo "colab.sh: this is not Google Colab; elsewhere, run make lab" >&2
  exit 1
fi
if [ "$("$prefix/go/bin/go" env GOVERSION 2>/dev/null || true)" != "go$version" ]; then
  echo "Installing Go $version into $prefix/go"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl --fail --silent --show-error --location --output "$work/go.tar.gz" "https://go.dev/dl/go$version.linux-amd64.tar.gz"
  echo "$sha256  $work/go.tar.gz" | sha256sum --check --quiet || {
    echo "colab.sh: the download is not Go $version: nothing was installed" >&2
    exit 1
  }
  rm -rf "$prefix/go"
  tar --extract --gzip --file "$work/go.tar.gz" --directory "$prefix"
fi
export PATH=$prefix/go/bin:$PATH
echo "Building; this takes some minutes"
make build tools warm
.bin/agekit kernel install
cat <<'TEXT'

Ready. Now, in this order:
 1. Runtime > Restart session.
 2. Runtime > Change runtime type > Go: agekit. Leave the hardware as it is: another
    one is another machine, on which this has to be run again.
 3. Run the notebook's cells. Each notebook of Colab has a machine of its own, so
    another notebook needs this cell too, before its runtime type is changed.
TEXT
