#!/usr/bin/env bash
# Builds the program twice for each system, from this folder and from a copy of it elsewhere
# with an empty build cache, and compares the bytes.
#   scripts/reproducible.sh [GOOS/GOARCH...]     (default: all six)
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
if [ $# = 0 ]; then set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; fi
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
AGEKIT_COMMIT=${AGEKIT_COMMIT:-$(git describe --always --abbrev=40 --exclude='*' --dirty)}
export AGEKIT_COMMIT
mkdir "$scratch/another folder"
git ls-files -z | xargs -0 cp --parents -t "$scratch/another folder"
failed=0
for system; do
  scripts/program.sh "$system" "$scratch/first"
  GOCACHE="$scratch/cache" "$scratch/another folder/scripts/program.sh" "$system" "$scratch/second"
  first=$(sha256sum <"$scratch/first") second=$(sha256sum <"$scratch/second")
  if [ "$first" = "$second" ]; then
    echo "$system  ${first%% *}  same"
  else
    echo "$system  ${first%% *}  ${second%% *}  DIFFERENT"
    failed=1
  fi
  rm -rf "$scratch/cache" # else it would fill the disk
done
exit $failed
