#!/usr/bin/env bash
# Installs what `make browser-test` needs: Playwright into .venv-browser, a Chromium if
# there is none, and, where there is npm, axe-core, which looks for what keeps people with
# a screen reader or a keyboard out. With --which, prints the path of the Chromium, or fails
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
axe=axe-core-4.14.1 axe_sum=e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745
if [ ! -f .venv-browser/$axe.js ] && command -v npm >/dev/null; then
  (cd .venv-browser
  npm pack --silent axe-core@${axe#axe-core-} >/dev/null
  echo "$axe_sum  $axe.tgz" | sha256sum --check --quiet
  tar -xzOf $axe.tgz package/axe.min.js >axe.tmp
  mv axe.tmp $axe.js
  rm $axe.tgz)
fi
if ! find_browser >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update && apt-get install -y chromium
  else
    .venv-browser/bin/python -I -m playwright install chromium
  fi
fi
