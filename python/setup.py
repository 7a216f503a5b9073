"""Builds the program agekit and puts it into the wheel. Needs Go.

GOOS and GOARCH in the environment, as in `make wheels`, name another system. There are
wheels alone: a source distribution of this folder would lack the program's source.
"""

import os
import pathlib
import re
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The oldest systems that Go's programs run on. Without cgo they need no library, so
# any Linux will do.
PLATFORMS = {
    ("linux", "amd64"): "manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


def version():
    """The version in the name: that of scripts/release.sh, or the newest in CHANGELOG.md. Before the first, it is one that no index takes."""
    newest = re.search(r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    version = os.environ.get("AGEKIT_VERSION") or (newest[1] if newest else "unreleased")
    return "0+unreleased" if version == "unreleased" else version


def readme():
    """README.md, whose links to the repository lead there from elsewhere, too."""
    commit = os.environ.get("AGEKIT_COMMIT", "HEAD").removesuffix("-dirty")
    return (ROOT / "python" / "README.md").read_text("utf-8").replace("](../", f"](https://github.com/agekit/age/blob/{commit}/")


class BuildWithProgram(build_py):
    """Compiles cmd/agekit beside the modules."""

    def run(self):
        super().run()
        if not shutil.which("go"):
            raise SystemExit("this compiles the program agekit, and there is no Go on the PATH: install Go 1.26 (https://go.dev/dl), or install a wheel, which `make wheels` builds")
        name = "agekit.exe" if os.environ.get("GOOS", os.name) in ("windows", "nt") else "agekit"
        target = pathlib.Path(self.build_lib).resolve() / "agekit" / "bin" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "CGO_ENABLED": "0", "GOEXPERIMENT": "simd"}
        # The program names its commit if git works; without git, go build would fail.
        git = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=False).returncode == 0 if shutil.which("git") else False
        flags = [f"-buildvcs={str(git).lower()}", "-ldflags=-s -w"]
        if "GOOS" in os.environ or "GOARCH" in os.environ:  # for other machines: no paths of this one
            flags.insert(0, "-trimpath")  # otherwise, what `make walkthrough` compiled serves
        if "AGEKIT_COMMIT" in os.environ:  # of a release: the same bytes as scripts/program.sh makes
            at = "github.com/agekit/age/internal/system"
            flags = ["-trimpath", "-buildvcs=false", f"-ldflags=-s -w -X {at}.commit={os.environ['AGEKIT_COMMIT']} -X {at}.release={os.environ['AGEKIT_VERSION']}"]
            environment |= {"GOAMD64": "v1", "GOARM64": "v8.0", "GOFLAGS": "", "GOTOOLCHAIN": "local"}
        subprocess.run(["go", "build", *flags, "-o", str(target), "./cmd/agekit"], cwd=ROOT, env=environment, check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one system and every version of Python."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def write_wheelfile(self, *arguments, **named):
        """Writes the last file of the wheel, and gives all of them modes and a time that do not depend on this machine."""
        super().write_wheelfile(*arguments, **named)
        os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")  # 1980, where zip's time begins
        for folder, _, names in os.walk(self.bdist_dir):
            for name in names:
                program = pathlib.Path(folder).name == "bin"
                os.chmod(os.path.join(folder, name), 0o755 if program else 0o644)

    def get_tag(self):
        system = os.environ.get("GOOS"), os.environ.get("GOARCH")
        if not any(system):
            return "py3", "none", super().get_tag()[2]
        if system not in PLATFORMS:
            raise SystemExit(f"GOOS and GOARCH are {system}: want one of {', '.join(map(str, PLATFORMS))}")
        return "py3", "none", PLATFORMS[system]


class NoSource(sdist):
    """Refuses a source distribution."""

    def run(self):
        raise SystemExit("agekit has no source distribution: the program's source is outside this folder. Build a wheel: make wheels, or python -m build --wheel")


class WithProgram(Distribution):
    def has_ext_modules(self):
        return True


if not (ROOT / "go.mod").exists():
    raise SystemExit(f"{ROOT} has no go.mod: build in a checkout of the project")
setup(version=version(), long_description=readme(), long_description_content_type="text/markdown", cmdclass={"build_py": BuildWithProgram, "bdist_wheel": PlatformWheel, "sdist": NoSource}, distclass=WithProgram)
