#!/usr/bin/env bash
# Fetches reveal.js, reveal.css and reveal-LICENSE.txt: reveal.js 5.2.1 as npm has it,
# with the hash that is known of it. They are committed, since the slides must work
# where there is no network.
#   scripts/report/reveal.sh      (needs npm and openssl)
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
npm pack reveal.js@5.2.1 --silent --pack-destination "$scratch" >/dev/null
archive=$scratch/reveal.js-5.2.1.tgz
want='r7//6mIM5p34hFiDMvYfXgyjXqGRta+/psd9YtytsgRlrpRzFv4RbH76TXd2qD+7ZPZEbpBDhdRhJaFgfQ7zNQ=='
[ "$(openssl dgst -sha512 -binary "$archive" | base64 -w0)" = "$want" ] || { echo "reveal.sh: another hash than the known one" >&2; exit 1; }
tar -xzf "$archive" -C "$scratch"
grep -v '^//# sourceMappingURL' "$scratch/package/dist/reveal.js" >reveal.js # the map is not in the slides
cp "$scratch/package/dist/reveal.css" reveal.css
{ cat "$scratch/package/LICENSE"; echo; } >reveal-LICENSE.txt
