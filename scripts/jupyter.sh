#!/usr/bin/env bash
# Installs Jupyter into .venv, with versions pinned by hash, unless exactly these
# versions are installed already. Needs python3 (3.10 or newer) with venv.
set -euo pipefail
CDPATH="" cd -- "$(dirname -- "$0")/.."
python=${PYTHON:-python3}
pins=scripts/requirements.txt settings=scripts/lab-settings.json css=scripts/lab.css
# Packages installed for one version of Python do not work with another.
want="$("$python" -I -c 'import sys; print(*sys.version_info[:3])') $(cat $pins $settings $css | cksum)" || {
  echo "jupyter.sh: $python does not run: install Python 3.10 or newer with venv" >&2
  exit 1
}
[ "$(cat .venv/agekit-pins 2>/dev/null || true)" = "$want" ] && exit 0
"$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "jupyter.sh: $("$python" --version) is too old; Jupyter needs 3.10 or newer (set PYTHON to another one)" >&2
  exit 1
}
echo "Jupyter: installing the pinned packages into .venv"
"$python" -I -m venv --clear .venv || {
  echo "jupyter.sh: $python has no working venv: on Debian and Ubuntu, install python3-venv" >&2
  exit 1
}
.venv/bin/python -I -m pip install --quiet --disable-pip-version-check --no-input \
  --no-deps --only-binary=:all: --require-hashes -r $pins
# How JupyterLab starts; every user can change it in its settings.
mkdir -p .venv/share/jupyter/lab/settings
cp $settings .venv/share/jupyter/lab/settings/overrides.json
# JupyterLab looks for a style sheet in two folders: the user's, and then this one.
.venv/bin/python -I -c '
import jupyter_server, pathlib, shutil, sys
folder = pathlib.Path(jupyter_server.DEFAULT_STATIC_FILES_PATH, "custom")
folder.mkdir(exist_ok=True)
shutil.copy(sys.argv[1], folder / "custom.css")' $css
mkdir -p .venv/etc/jupyter
echo '{"LabApp": {"custom_css": true}}' >.venv/etc/jupyter/jupyter_lab_config.json
echo "$want" >.venv/agekit-pins
