#!/usr/bin/env bash
# Installs the Python package with its program into .venv-python and tests it there, and
# checks its types.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
if [ ! -x .venv-python/bin/python ]; then
  python3 -m venv .venv-python
fi
.venv-python/bin/python -m pip install -q --disable-pip-version-check './python[test]'
(cd python && ../.venv-python/bin/python -I -m mypy --cache-dir=/dev/null)
cd python/tests # not where the package's source lies, which has no program
exec ../../.venv-python/bin/python -I -m pytest -q -p no:cacheprovider "$@"
