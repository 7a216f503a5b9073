#!/usr/bin/env bash
# All tests, as `make test` runs them after `make build`. AGEKIT_LONG=1 adds the long
# ones. The last line says what failed.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."

# XLA's plugin and the data sets are downloaded while Go compiles. Tests on a data set that
# cannot be had are skipped.
said=$(mktemp) aside=$(mktemp)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -f "$said" "$aside"' EXIT
.bin/agekit backend install cpu >"$said" 2>&1 &
plugin=$!
.bin/agekit data fetch citeseer pubmed wiki &
data=$!

# Tests compile many XLA programs that run for a moment: LLVM's optimizations would take longer
# than they save.
export XLA_FLAGS="${XLA_FLAGS---xla_backend_optimization_level=0}"

# make lint runs all of go vet; go test would run a part of it again. A slow or busy
# machine may take more than Go's ten minutes for a package.
run_tests() { go test -vet=off -timeout 1h "$@"; }
# Packages are tested in this order: those that take longest begin, so that no core is
# idle at the end.
all=(./cmd/agekit ./agekit ./agekit/... ./...)

# What is short runs beside the suite, whose tests wait for signals, disks and each other.
beside_suite() {
  # A round of each kind; make torture runs them for hours.
  python3 -I scripts/torture.py --rounds 6 --seed 1
  # Without XLA, only what opens a backend differs. With cgo, as in the whole suite, little is
  # compiled again; without it, the notebooks run.
  run_tests -tags noxla ./agekit/backend
  # The suite tests this processor's SIMD level. At the others: the kernels, the products of
  # clustering, and the filter.
  local leveled=(./internal/simd) level version
  local filter='Smooth|Filter|Rayleigh|Extended|Amplitude|Unit|WithoutEdges|Tile|Levels|TestInterrupt$'
  if [ -n "${AGEKIT_LONG:-}" ]; then leveled+=(./agekit/cluster); fi
  for level in go avx2; do
    if version=$(AGEKIT_SIMD=$level .bin/agekit version 2>/dev/null) && [ "$version" != "$(.bin/agekit version)" ]; then
      echo "go test at SIMD level $level"
      AGEKIT_SIMD=$level run_tests -count=1 -skip NoMixedSSE "${leveled[@]}"
      AGEKIT_SIMD=$level run_tests -short -count=1 -run "GramBand|Padded|Products|$filter" ./internal/linalg ./agekit/laplacian
    fi
  done
}
beside_suite >"$aside" 2>&1 &
beside=$!

wait "$data" || true
failed= warning=
if wait "$plugin"; then
  cat "$said"
  echo "go test ./... with XLA on the CPU"
  export AGEKIT_REQUIRE_XLA=1
else
  cat "$said"
  warning="WARNING: no XLA plugin could be installed: the tests on backend xla:cpu DID NOT RUN (in agekit/backend and agekit/encoder/gomlx)"
  echo "$warning"
fi
run_tests "${all[@]}" || failed="go test ./..."
wait "$beside" || failed="${failed:-what ran beside it}"
cat "$aside"
if [ -n "$warning" ]; then echo "$warning"; fi
if [ -n "$failed" ]; then echo "FAILED: $failed"; exit 1; fi
