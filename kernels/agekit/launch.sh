#!/bin/sh
# Starts GoNB, the Go kernel, for cells that import this project. kernel.json
# sets how cells are built; GOPROXY=off there makes cells use the versions
# pinned in go.mod and work offline. Both kernels use the same script.
#
# AGEKIT_ROOT is the project's folder and AGEKIT_GONB the kernel program. An
# installed kernel sets both in kernel.json; in the project's folder, this
# script derives them from its own location. AGEKIT_GONB_FLAGS holds additional
# flags for GoNB.
set -eu
root=${AGEKIT_ROOT:-$(CDPATH="" cd -- "${0%/*}/../.." && pwd)}
gonb=${AGEKIT_GONB:-$root/.bin/gonb}
if [ ! -f "$root/go.mod" ]; then
  echo "agekit kernel: no project in $root; run \`agekit kernel install\` in its folder" >&2
  exit 1
fi
if [ ! -x "$gonb" ]; then
  echo "agekit kernel: no GoNB at $gonb; run \`make tools\` in $root" >&2
  exit 1
fi
# Jupyter is often started without a login shell, so add the usual location of
# Go. goimports, which every cell needs, is next to GoNB.
PATH=${gonb%/*}:${PATH:+$PATH:}/usr/local/go/bin
export PATH
# shellcheck disable=SC2086 # several flags, or none
exec "$gonb" ${AGEKIT_GONB_FLAGS:-} -go_work="$root" -kernel "$1"
