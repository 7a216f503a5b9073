#!/usr/bin/env bash
# Opens notebooks in JupyterLab in headless Chromium and looks at their pictures:
#   scripts/browser-test.sh [--site|NOTEBOOK...]    (default: the project's notebooks)
# BROWSER_RUN, such as 0[0-4]_*, is a pattern of those whose cells are run in
# JupyterLab; the others are only opened, and so are all reports.
# With --site, only the site, which needs `make site` first. All else needs `make build
# tools jupyter`, too, as `make browser-test` does.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
scripts/browser.sh
AGEKIT_CHROMIUM=$(scripts/browser.sh --which || true) # empty: Playwright's own
export AGEKIT_CHROMIUM
if [ "${1:-}" = --site ]; then shift; elif [ $# = 0 ]; then set -- notebooks/[0-9][0-9]_*.ipynb; fi
exec .venv-browser/bin/python -I scripts/browser_test.py ${BROWSER_RUN:+"--run=$BROWSER_RUN"} "$@"
