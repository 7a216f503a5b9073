"""How the program is found and run, with scripts in its place."""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import textwrap

import pytest

import agekit
from agekit import _program

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are scripts")


@pytest.fixture
def stand_in(tmp_path):
    """Makes a program of a few lines of Python."""

    def make(lines, name="agekit"):
        path = tmp_path / name
        path.write_text(f"#!{sys.executable}\nimport os, signal, sys, time\n{textwrap.dedent(lines)}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def python(code, **options):
    """Runs code in a Python of its own, so that one that hangs fails."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False, **options)


@pytest.mark.parametrize("verbose", [True, False])
def test_large_result(stand_in, verbose):
    """More than a pipe holds, on both outputs."""
    name = stand_in("""
        print("é" * 1_000_000, flush=True)
        for i in range(100_000):
            print("epoch", i, file=sys.stderr)
        print("end")
    """)
    run = python(f"from agekit._program import run; out = run([], {verbose}); print(len(out), out[-4:])", env={**os.environ, "AGEKIT": name})
    assert run.returncode == 0 and run.stdout == "1000005 end\n\n"
    assert run.stderr.count("\n") == (100_000 if verbose else 0)


def test_errors(stand_in, monkeypatch):
    monkeypatch.setenv("AGEKIT", stand_in("print('agekit: one\\nagekit: two, not three', file=sys.stderr); sys.exit(1)"))
    with pytest.raises(agekit.AgeError, match="^two, not three$"):
        _program.run([], False)


def test_program(monkeypatch, tmp_path, stand_in):
    """The PATH, where the package's own command is, does not matter."""
    monkeypatch.setattr(_program, "__file__", str(tmp_path / "package" / "_program.py"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("AGEKIT", raising=False)
    other = stand_in("")
    with pytest.raises(FileNotFoundError, match="name a program with \\$AGEKIT"):
        agekit.program()
    own = stand_in("", name="own")
    carried = tmp_path / "package" / "bin" / "agekit"
    carried.parent.mkdir(parents=True)
    pathlib.Path(own).rename(carried)
    assert agekit.program() == str(carried)
    monkeypatch.setenv("AGEKIT", other)
    assert agekit.program() == other and _program._carried() == str(carried)


# The command, with a stand-in for the program in the package, started as on Unix or as
# on Windows.
MAIN = """
    import os, sys
    from agekit import _program
    _program._carried = lambda: {name!r}
    if {windows}:
        _program.os = type("Windows", (), {{"name": "nt", "environ": os.environ}})
    sys.argv = ["agekit", "fit", "--out", "a b"]
    assert "sklearn" not in sys.modules
    _program.main()
"""


@pytest.mark.parametrize("windows", [False, True])
def test_command(stand_in, windows):
    name = stand_in("print(sys.argv[1:], sys.stdin.read()); sys.exit(3)")
    # $AGEKIT may name the command itself: it does not call itself for ever.
    run = python(MAIN.format(name=name, windows=windows), input="in", env={**os.environ, "AGEKIT": "/nowhere"})
    assert run.returncode == 3 and run.stdout == "['fit', '--out', 'a b'] in\n", run.stderr


@pytest.mark.parametrize("windows", [False, True])
def test_command_interrupted(stand_in, windows):
    """Ctrl-C goes to all processes of a terminal; the program decides what it does."""
    name = stand_in("""
        def stop(*_):
            time.sleep(0.2)
            sys.exit(7)
        signal.signal(signal.SIGINT, stop)
        print("ready", flush=True)
        time.sleep(60)
    """)
    command = subprocess.Popen([sys.executable, "-c", textwrap.dedent(MAIN.format(name=name, windows=windows))], stdout=subprocess.PIPE, start_new_session=True)
    assert command.stdout.readline() == b"ready\n"
    os.killpg(command.pid, signal.SIGINT)
    assert command.wait(timeout=60) == 7
    command.stdout.close()


def test_installed_command():
    """The command that pip installed runs the program of the package."""
    command = pathlib.Path(sys.executable).with_name("agekit")
    if not command.exists():
        pytest.skip("the package is not installed beside this Python")
    environment = {**os.environ, "PATH": str(command.parent), "AGEKIT": str(command)}
    for arguments, code, said in ([["version"], 0, "agekit"], [["fit", "--nothing"], 2, "unknown flag --nothing"]):
        run = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=60, check=False, env=environment)
        assert run.returncode == code and said in run.stdout + run.stderr
    run = python("from agekit._program import run; print(run(['version'], False))", env=environment)
    assert run.stdout.startswith("agekit"), run.stderr
