#!/usr/bin/env bash
# Installs the notebooks from this folder into ./agekit, without a network:
#
#     /path/to/class-kit/install.sh
#
# Needs Go, Python with venv, git and make. It takes some minutes, since Go compiles.
set -euo pipefail
kit=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd)
if [ -e agekit ]; then
  echo "install.sh: $PWD/agekit is there already: remove it, or install somewhere else" >&2
  exit 1
fi
want=$(cat "$kit/python-version")
if ! "${PYTHON:-python3}" -I -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$want')"; then
  echo "install.sh: the packages are for Python $want: set PYTHON to one, or make the kit with this Python" >&2
  exit 1
fi
tar -xzf "$kit/agekit.tar.gz"
cd agekit
# Go takes modules from the folder alone and checks them against go.sum.
export GOPROXY="file://$kit/modules" GOSUMDB=off GOTOOLCHAIN=local
export PIP_NO_INDEX=1 PIP_FIND_LINKS="$kit/packages"
make jupyter .bin/.kernel
echo "installed in $PWD: run .bin/plain/agekit walkthrough --notebooks 01, or make lab"
