#!/usr/bin/env bash
# Uses the module from another module, as a user would: a program trains, saves, loads
# and embeds, with cgo and without, and builds for the systems that CROSS names. With cgo
# it has the project's own GOEXPERIMENT, so that what is compiled already serves; without,
# it has none.
set -euo pipefail
root=$(CDPATH="" cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > main.go <<'GO'
package main

import (
	"context"
	"fmt"

	"github.com/agekit/age/agekit/dataset"
	"github.com/agekit/age/agekit/encoder"
)

func main() {
	ctx := context.Background()
	g := must(dataset.Load(ctx, "cora", dataset.Options{}))
	r := must(encoder.Fit(ctx, g, encoder.Options{Config: encoder.Config{Epochs: 10, Seed: 1}}))
	check(r.Encoder.Save("model.npz"))
	z := must(must(encoder.Load("model.npz")).Embed(ctx, g))
	fmt.Println(z.Rows, z.Cols, r.Backend, r.SIMD, z.Data[7] == r.Embedding.Data[7])
}

func must[T any](value T, err error) T { check(err); return value }

func check(err error) {
	if err != nil {
		panic(err)
	}
}
GO
# The same versions as the module's own, so that nothing has to be looked up.
sed 's/^module .*/module outside/' "$root/go.mod" > go.mod
go mod edit -require=github.com/agekit/age@v0.0.0 -replace="github.com/agekit/age=$root"
cp "$root/go.sum" .
export GOFLAGS=-mod=mod
if go list -deps -f '{{if .CgoFiles}}{{.ImportPath}}{{end}}' github.com/agekit/age/agekit/encoder | grep .; then
  echo "the packages above, which agekit/encoder imports, use cgo"
  exit 1
fi
for way in "CGO_ENABLED=1 GOEXPERIMENT=simd" "CGO_ENABLED=0 GOEXPERIMENT="; do
  # shellcheck disable=SC2086 # two variables
  out=$(env $way go run .)
  echo "$way: $out"
  [[ $out == "2708 500 native "*" true" ]]
done
for system in $CROSS; do
  GOEXPERIMENT= CGO_ENABLED=0 GOOS=${system%/*} GOARCH=${system#*/} go build -o /dev/null .
  echo "builds for $system"
done
