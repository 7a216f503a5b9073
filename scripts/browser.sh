#!/usr/bin/env bash
# Installs what `make browser-test` needs: Playwright into .venv-browser, and a
# Chromium if there is none. With --which, prints the path of the Chromium, or fails
# if there is only Playwright's own.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
find_browser() {
  for name in "${AGEKIT_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name"; then return; fi
  done
  return 1
}
if [ "${1:-}" = --which ]; then
  find_browser
  exit
fi
pins=scripts/browser-requirements.txt
if [ "$(cat .venv-browser/agekit-pins 2>/dev/null || true)" != "$(cksum <$pins)" ]; then
  echo "browser.sh: installing Playwright into .venv-browser"
  python3 -I -m venv --clear .venv-browser
  .venv-browser/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input \
    --no-deps --only-binary=:all: --require-hashes -r $pins
  cksum <$pins >.venv-browser/agekit-pins
fi
if ! find_browser >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update && apt-get install -y chromium
  else
    .venv-browser/bin/python -I -m playwright install chromium
  fi
fi
