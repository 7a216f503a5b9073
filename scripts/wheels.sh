#!/usr/bin/env bash
# Builds the Python package for each system into python/dist.
#   scripts/wheels.sh [GOOS/GOARCH...]    (default: all)
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
if [ $# = 0 ]; then set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; fi
if [ ! -x .venv-python/bin/python ]; then
  python3 -m venv .venv-python
fi
.venv-python/bin/python -I -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r scripts/wheel-requirements.txt
for system; do
  rm -rf python/build # it would carry the program of the last system
  GOOS=${system%/*} GOARCH=${system#*/} .venv-python/bin/python -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation -w python/dist ./python
done
rm -rf python/build
ls -l python/dist
