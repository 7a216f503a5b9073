#!/usr/bin/env bash
# Prints how large the project is. scripts/size.sh [PROGRAM]: the program whose flags are
# counted, .bin/agekit by default.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
program=${1:-.bin/agekit}

# Counts exported functions, types, variables and constants, and exported methods of
# exported types, in gofmt's layout.
exported() {
  git ls-files -z agekit | grep -zE '\.go$' | grep -zvE '_test\.go$' | xargs -0 awk '
    FNR == 1                                          { group = 0 }
    /^func [A-Z]/                                     { n++ }
    /^func \([a-zA-Z_]* ?\*?[A-Z][^)]*\) [A-Z]/       { n++ }
    /^type [A-Z]/                                     { n++ }
    /^(var|const) [A-Z]/                              { n++; more($0) }
    /^(type|var|const) \($/                           { group = 1; next }
    /^\)/                                             { group = 0 }
    group && /^\t[A-Z]/                               { n++; more($0) }
    # more counts the further names of "A, B = 1, 2".
    function more(line) { sub(/=.*/, "", line); sub(/\/\/.*/, "", line); while (sub(/, [A-Z]/, "", line)) n++ }
    END { print n }'
}

echo "lines of Go outside tests  $(git ls-files -z '*.go' ':!*_test.go' | xargs -0 cat | wc -l)"
echo "lines of tests             $(git ls-files -z '*_test.go' | xargs -0 cat | wc -l)"
echo "packages                   $(GOFLAGS=-buildvcs=false go list ./... | wc -l)"
echo "exported names and methods $(exported)"
echo "words of docs              $(git ls-files -z '*.md' | xargs -0 cat | wc -w)"
if [ -x "$program" ]; then
  echo "flags of agekit fit --help $("$program" fit --help | grep -cE '^ +(-[a-zA-Z], )?--\[?[a-z]')"
fi
