#!/usr/bin/env bash
# Opens notebooks in JupyterLab in headless Chromium and looks at their pictures:
#   scripts/browser-test.sh [NOTEBOOK...]    (default: the project's notebooks)
# BROWSER_RUN, such as 0[0-4]_*, is a pattern of those whose cells are run in
# JupyterLab; the others are only opened, and so are all reports.
# Installs Playwright into .venv-browser, and a Chromium if there is none. Needs
# `make build tools jupyter` first, as `make browser-test` does.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
pins=scripts/browser-requirements.txt
if [ "$(cat .venv-browser/agekit-pins 2>/dev/null || true)" != "$(cksum <$pins)" ]; then
  echo "browser-test.sh: installing Playwright into .venv-browser"
  python3 -I -m venv --clear .venv-browser
  .venv-browser/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input \
    --no-deps --only-binary=:all: --require-hashes -r $pins
  cksum <$pins >.venv-browser/agekit-pins
fi
find_browser() {
  for name in "${AGEKIT_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name"; then return; fi
  done
  return 1
}
if ! find_browser >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update && apt-get install -y chromium
  else
    .venv-browser/bin/python -I -m playwright install chromium
  fi
fi
AGEKIT_CHROMIUM=$(find_browser || true) # empty: Playwright's own
export AGEKIT_CHROMIUM
if [ $# = 0 ]; then set -- notebooks/[0-9][0-9]_*.ipynb; fi
exec .venv-browser/bin/python -I scripts/browser_test.py ${BROWSER_RUN:+"--run=$BROWSER_RUN"} "$@"
