"""The wheel: the same files give the same bytes."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
def test_same_bytes(tmp_path):
    """A wheel has the same bytes whatever the umask and the times of the files are; its
    program may be run, and its other files may be read, by all. A stand-in for Go makes
    the program."""
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho program >"$2"\nchmod +x "$2"\n')
    go.chmod(0o755)
    sums = set()
    for mask in (0o022, 0o077, 0o002):
        project = tmp_path / f"{mask:o}"
        (project / "python").mkdir(parents=True)
        shutil.copytree(PYTHON / "agekit", project / "python" / "agekit", ignore=shutil.ignore_patterns("bin", "__pycache__"), copy_function=shutil.copyfile)
        for name in ("python/setup.py", "python/pyproject.toml", "python/README.md", "CHANGELOG.md", "go.mod"):
            shutil.copyfile(PYTHON.parent / name, project / name)
        os.utime(project / "python" / "agekit" / "__init__.py", (mask * 10**6 + 10**9,) * 2)
        environment = {**os.environ, "PATH": f"{go.parent}{os.pathsep}{os.environ['PATH']}", "GOOS": "linux", "GOARCH": "amd64"}
        environment.pop("SOURCE_DATE_EPOCH", None)
        subprocess.run(
            [sys.executable, "-c", f"import os; os.umask({mask}); exec(compile(open('setup.py').read(), os.path.abspath('setup.py'), 'exec'), {{'__file__': os.path.abspath('setup.py'), '__name__': '__main__'}})", "bdist_wheel"],
            cwd=project / "python",
            env=environment,
            check=True,
            capture_output=True,
        )
        [wheel] = (project / "python" / "dist").glob("*.whl")
        sums.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
        with zipfile.ZipFile(wheel) as archive:
            modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
        assert modes.pop("agekit/bin/agekit") == 0o755
        assert {mode for name, mode in modes.items() if not name.endswith("/RECORD")} == {0o644}
    assert len(sums) == 1
