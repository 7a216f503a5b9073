"""Builds the program age and puts it into the wheel. Needs Go."""

import os
import pathlib
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent.parent


class BuildWithProgram(build_py):
    """Compiles cmd/age beside the modules. GOOS and GOARCH may name another system."""

    def run(self):
        super().run()
        if not (ROOT / "go.mod").exists():
            raise SystemExit(f"{ROOT} has no go.mod: build in a checkout of the project")
        name = "age.exe" if os.environ.get("GOOS", os.name) in ("windows", "nt") else "age"
        target = pathlib.Path(self.build_lib).resolve() / "agekit" / "bin" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        # Without cgo the program needs no library of the system: any Linux runs it.
        environment = {**os.environ, "CGO_ENABLED": "0", "GOEXPERIMENT": "simd"}
        # The program names its commit if git works; without git, go build would fail.
        git = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=False).returncode == 0 if shutil.which("git") else False
        flags = ["-trimpath", f"-buildvcs={str(git).lower()}", "-ldflags=-s -w"]
        subprocess.run(["go", "build", *flags, "-o", str(target), "./cmd/age"], cwd=ROOT, env=environment, check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one system and every version of Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class WithProgram(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildWithProgram, "bdist_wheel": PlatformWheel}, distclass=WithProgram)
