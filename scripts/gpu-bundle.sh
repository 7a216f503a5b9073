#!/usr/bin/env bash
# Builds .bin/gpu-bundle and .bin/gpu-bundle.tar.gz, which test and measure the
# project on a machine with an NVIDIA GPU, without Go or these sources. docs/gpu.md
# describes them. Needs the build tools and the data sets, which are downloaded if they
# are missing. With --figures, it has the program and what measures it on Cora, but no
# other tests and no other data.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
most=60000000 # bytes in the folder
bundle=.bin/gpu-bundle
payload=$bundle/payload
export CGO_ENABLED=1 GOOS=linux GOARCH=amd64
flags=(-buildvcs=auto -trimpath -ldflags '-s -w')

rm -rf $bundle $bundle.tar.gz
mkdir -p $payload/data
go build "${flags[@]}" -o $payload/agekit ./cmd/agekit
cp scripts/jobs.py $payload
# The packages whose tests use the XLA plugin that this variable names.
packages=$(grep -rl --include='*_test.go' AGEKIT_TEST_XLA agekit cmd | xargs dirname | sort -u)
datasets=(citeseer wiki pubmed)
if [ "${1:-}" = --figures ]; then
  packages=agekit/encoder/gomlx datasets=() # Cora is in the program
fi
for package in $packages; do
  mkdir -p "$payload/tests/$package"
  go test -c "${flags[@]}" -o "$payload/tests/$package/xla.test" "./$package"
done
# Test data of all packages, because one package's tests may read another's.
find agekit -type d -name testdata -exec cp -r --parents {} $payload/tests \;
# TestCounts compares with its table.
mkdir -p $payload/tests/docs
cp docs/gpu.md $payload/tests/docs
touch $bundle/files
((!${#datasets[@]})) || $payload/agekit data fetch "${datasets[@]}" >$bundle/files
while read -r file _ path; do
  mkdir -p "$(dirname "$payload/data/$file")"
  cp "$path" "$payload/data/$file"
done <$bundle/files

tar -czf $bundle/payload.tar.gz -C $payload .
rm -rf $payload $bundle/files
cp scripts/gpu-run.sh $bundle/run.sh
cp docs/gpu.md $bundle/README.md
size=$(cat $bundle/* | wc -c)
if [ "$size" -gt $most ]; then
  echo "gpu-bundle: $bundle has $size bytes: want at most $most" >&2
  exit 1
fi
tar -czf $bundle.tar.gz -C .bin gpu-bundle
echo "$bundle, $bundle.tar.gz: $((size / 1000000)) MB"
