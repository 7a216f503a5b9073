#!/usr/bin/env bash
# Fuzzes each target whose name matches PATTERN, by default all, for MINUTES:
#
#     scripts/fuzz.sh [MINUTES [PATTERN]]
#
# An input that fails is kept in testdata/fuzz of the target's package. If there is one, the
# others are fuzzed nevertheless, and the exit code is 1.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."

failed=()
while IFS=: read -r file target; do
  target=${target#func }
  [[ $target =~ ${2:-.} ]] || continue
  echo "$target in ${file%/*}"
  # Unless it is told to stop earlier, Go tries for a minute to make each new input
  # smaller. Where inputs are large, that takes all of the time.
  go test -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "${1:-1}m" -fuzzminimizetime 1s "./${file%/*}" || failed+=("$target in ${file%/*}")
done < <(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z0-9]*' agekit cmd internal | sort)

if [ ${#failed[@]} -gt 0 ]; then
  printf 'failed: %s\n' "${failed[@]}" >&2
  exit 1
fi
