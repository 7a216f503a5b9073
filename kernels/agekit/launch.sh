#!/bin/sh
# Starts GoNB, the Go kernel, for cells that import this project. kernel.json sets
# how cells are built; GOPROXY=off there makes cells use the versions pinned in
# go.mod and work offline. The same file serves both kernels.
#
# AGEKIT_ROOT is the project's folder and AGEKIT_GONB the kernel program. An
# installed kernel has both in kernel.json; in the project they are found from here.
# AGEKIT_GONB_FLAGS are flags more for GoNB.
set -eu
root=${AGEKIT_ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
gonb=${AGEKIT_GONB:-$root/.bin/gonb}
if [ ! -f "$root/go.mod" ]; then
  echo "agekit kernel: no project in $root; run \`age kernel install\` in its folder" >&2
  exit 1
fi
if [ ! -x "$gonb" ]; then
  echo "agekit kernel: no GoNB at $gonb; run \`make tools\` in $root" >&2
  exit 1
fi
# Jupyter is often started without a login shell: add the usual place of Go.
# goimports, which every cell needs, lies beside GoNB.
PATH=$(dirname "$gonb"):$PATH:/usr/local/go/bin
export PATH
# shellcheck disable=SC2086 # several flags, or none
exec "$gonb" ${AGEKIT_GONB_FLAGS:-} -go_work="$root" -kernel "$1"
