#!/usr/bin/env bash
# Builds the program as releases have it, so that the same commit always gives the same bytes:
# without cgo, without paths of this machine, with version and commit given by the linker.
#   scripts/program.sh GOOS/GOARCH OUTPUT      (AGEKIT_VERSION and AGEKIT_COMMIT as in release.sh)
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
commit=${AGEKIT_COMMIT:-$(git describe --always --abbrev=40 --exclude='*' --dirty)}
at=github.com/agekit/age/internal/system
GOOS=${1%/*} GOARCH=${1#*/} GOAMD64=v1 GOARM64=v8.0 GOFLAGS= CGO_ENABLED=0 GOEXPERIMENT=simd GOTOOLCHAIN=local \
  go build -trimpath -buildvcs=false -ldflags "-s -w -X $at.commit=$commit -X $at.release=${AGEKIT_VERSION:-}" -o "$2" ./cmd/agekit
