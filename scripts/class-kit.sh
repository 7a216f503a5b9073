#!/usr/bin/env bash
# Builds dist/class-kit, a folder for a stick from which a class installs the notebooks
# without a network: the sources, the Go modules and the Python packages of this system.
# Laptops need Go, Python with venv, git and make, as the README lists them; the kit brings
# everything that an installation would download. docs/lecture.md describes it.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
most=400000000 # bytes in the folder
kit=dist/class-kit
rm -rf $kit
mkdir -p $kit/modules $kit/packages
cache=$(mktemp -d)
trap 'go clean -modcache >/dev/null 2>&1 || true; rm -rf "$cache"' EXIT
export GOMODCACHE=$cache GOFLAGS=-modcacherw

git archive --format=tar.gz --prefix=agekit/ -o $kit/agekit.tar.gz HEAD
echo "class-kit: the Go modules of the notebooks and their kernel"
go mod download
go list -m all >/dev/null # for go doc in cells
(cd tools && CGO_ENABLED=0 go list -deps ./gonb golang.org/x/tools/cmd/goimports >/dev/null)
# A module proxy is a folder with these files. Zip files are checked against go.sum.
tar -C "$cache/cache/download" --exclude='*.lock' --exclude='*.ziphash' --exclude=./sumdb -cf - . | tar -xf - -C $kit/modules
echo "class-kit: the Python packages for $(uname -s) on $(uname -m)"
python3 -I -m pip download --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: \
  --require-hashes -r scripts/requirements.txt -d $kit/packages
cp scripts/class-kit-install.sh $kit/install.sh
python3 -I -c 'import sys; print("%d.%d" % sys.version_info[:2])' >$kit/python-version
size=$(($(du -sk $kit | cut -f1) * 1024))
if [ "$size" -gt $most ]; then
  echo "class-kit: $kit has $((size / 1000000)) MB: want at most $((most / 1000000))" >&2
  exit 1
fi
echo "$kit: $((size / 1000000)) MB"
