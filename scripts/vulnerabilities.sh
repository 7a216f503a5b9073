#!/usr/bin/env bash
# Looks for known vulnerabilities in what the program calls, with govulncheck. Without the
# database it says so and fails: nothing was checked. GOVULNDB names another one, such as
# file:///folder.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
.bin/govulncheck ${GOVULNDB:+-db "$GOVULNDB"} ./cmd/agekit >"$log" 2>&1 || status=$?
cat "$log"
# 3 means that vulnerabilities were found.
if [ $status != 0 ] && [ $status != 3 ] && grep -qiE 'fetching vulnerabilities|vuln\.go\.dev|no such host|index/(db|modules)' "$log"; then
  echo "vulnerabilities: NOT CHECKED: the database (${GOVULNDB:-https://vuln.go.dev}) cannot be reached" >&2
  exit 4
fi
exit $status
