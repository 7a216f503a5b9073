"""How the program is found and run, with scripts in its place."""

import json
import os
import pathlib
import re
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings

import pytest

import agekit
from agekit import _folder, _program

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


def test_large_result(stand_in):
    """More than a pipe holds, on both outputs."""
    name = stand_in("""
        print("é" * 1_000_000, flush=True)
        for i in range(100_000):
            print("epoch", i, file=sys.stderr)
        print("end")
    """)
    run = python("from agekit._program import run; out = run([]); print(len(out), out[-4:])", env={**os.environ, "AGEKIT": name})
    assert run.returncode == 0 and run.stdout == "1000005 end\n\n" and run.stderr == ""


def test_errors(stand_in, monkeypatch):
    monkeypatch.setenv("AGEKIT", stand_in("print('{\"error\":[\"one, not two\"]}', file=sys.stderr); sys.exit(1)"))
    with pytest.raises(agekit.AgeError, match="^one, not two$"):
        _program.run([])


def test_crash(stand_in, monkeypatch):
    """Is no error of the user's, and shows no trace."""
    monkeypatch.setenv("AGEKIT", stand_in("print('started\\npanic: index out of range\\n\\ngoroutine 1 [running]:\\nmain.go:7', file=sys.stderr); sys.exit(2)"))
    with pytest.raises(RuntimeError, match=r"^agekit ended with 2: panic: index out of range; logging"):
        _program.run([])


def test_advice():
    """What would keep a column as it is, is to give it as features."""
    for option, want in (("Number", "features= keeps it"), ("Category", "features=pd.get_dummies(…) keeps it")):
        assert _program._sentence(['column "a": left out'], {"advice": [{"effect": "%s keeps it", "option": f"Source.Columns.{option}"}]}) == f'column "a": left out; {want}'


def test_messages(stand_in, monkeypatch, caplog):
    """Lines become warnings, log entries or an error, with the names of Python. Advice that
    has no place in Python is left out."""
    warning = {
        "warning": ['column "a": left out, 60 different values, --text "in" a text stays'],
        "advice": [{"effect": "%s keeps it as categories", "option": "Source.Columns.Category"}, {"effect": "%s as text", "option": "Source.Columns.Text"}],
    }
    error = {
        "error": ['nodes.csv:5: column "b": want ', {"option": "seed"}, " or ", {"option": "layers"}],
        "advice": [{"effect": "%s leaves it out", "option": "Source.Columns.Drop", "value": '"b"'}, {"effect": "lower %s", "option": "dims"}],
    }
    monkeypatch.setenv(
        "AGEKIT",
        stand_in(f"""
            assert os.environ["AGEKIT_MESSAGES"] == "json"
            print('nodes.csv: comma-separated, header id', file=sys.stderr)
            print({json.dumps(warning)!r}, file=sys.stderr)
            print({json.dumps(error)!r}, file=sys.stderr)
            sys.exit(1)
        """),
    )
    caplog.set_level("INFO", "agekit")
    with pytest.warns(agekit.AgeWarning) as said, pytest.raises(agekit.AgeError) as error:
        _program.run([])
    assert [str(w.message) for w in said] == ['column "a": left out, 60 different values, --text "in" a text stays; .astype(\'category\') keeps it as categories']
    assert said[0].filename == __file__
    assert str(error.value) == 'nodes, row 3 (from 0): column "b": want random_state or layers; nodes.drop(columns="b") leaves it out'
    assert caplog.messages == ["nodes: comma-separated, header id"]


def test_bar(stand_in, monkeypatch, capsys, caplog):
    """It moves with the events of a stage, and never back; their lines are logged."""
    monkeypatch.setenv("AGEKIT", stand_in("""
        for line in (
            '{"stage":"training","done":1,"total":4,"line":"epoch 1 of 4"}',
            '{"stage":"training","done":3,"total":4}',
            '{"left":3723,"line":"clusters of nodes.csv are found"}',
            '{"stage":"training","done":4,"total":4}',
        ):
            print(line, file=sys.stderr, flush=True)
            time.sleep(0.2)
    """))
    caplog.set_level("INFO", "agekit")
    _program.run([], verbose=None)  # no terminal
    assert capsys.readouterr().err == ""
    assert caplog.messages == ["epoch 1 of 4", "clusters of nodes are found"]
    _program.run([], verbose=True)
    shares = [int(share) for share in re.findall(r"(\d+)% \|", capsys.readouterr().err)]
    assert shares == sorted(shares) and {25, 75, 100} <= set(shares)
    bar = _program._Bar(True)
    bar._start -= 60
    bar.show({"left": 60, "line": "kept 3 ways"})
    assert abs(bar._bar.n - 0.5) < 0.01
    bar.show({"left": 3600, "line": "all"})
    assert abs(bar._bar.n - 0.5) < 0.01
    bar.show({"stage": "merging", "done": 1, "total": 10})  # another stage begins anew
    assert abs(bar._bar.n - 0.1) < 0.01


def test_interrupted(stand_in, monkeypatch, tmp_path):
    """An exception in between, as Ctrl-C is, stops the program."""
    monkeypatch.setenv("AGEKIT", stand_in("""
        print('{"warning":["lost"]}', file=sys.stderr, flush=True)
        time.sleep(60)
    """))
    start = time.monotonic()
    with warnings.catch_warnings(), pytest.raises(agekit.AgeWarning, match="lost"):
        warnings.simplefilter("error")
        _program.run([])
    assert time.monotonic() - start < 30


def test_folder_of_a_killed_process(monkeypatch, tmp_path):
    """Is removed by the next call; one in use, and others' folders, are not."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "agekit-of-mine").mkdir()
    (tmp_path / "agekit-of-mine" / "data.csv").write_text("kept")
    code = "from agekit._folder import folder\nwith folder() as f:\n (f / 'nodes.csv').write_text('secret'); print(f, flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    left = pathlib.Path(process.stdout.readline().strip())
    with _folder.folder() as own:
        assert (left / "nodes.csv").exists() and own.parent == tmp_path
        process.kill()
        process.wait()
        with _folder.folder():
            assert not left.exists() and own.exists()
    process.stdin.close()
    process.stdout.close()
    assert [p.name for p in tmp_path.iterdir()] == ["agekit-of-mine"]


def test_folders_of_others(monkeypatch, tmp_path):
    """A folder with our names but without our mark stays, also the copy of one of ours; a pipe in
    place of the lock, or where a link leads, is not waited for."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    for name in ["mine", "copy", "pipe", "link"]:
        (tmp_path / f"agekit-{name}").mkdir()
    (tmp_path / "agekit-mine" / "in-use").write_text("a note")
    (tmp_path / "agekit-copy" / "in-use").write_bytes(_folder._mark(tmp_path / "agekit-first"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "agekit-pipe" / "in-use")
        (tmp_path / "agekit-link" / "in-use").symlink_to(tmp_path / "agekit-pipe" / "in-use")
    code = "from agekit._folder import folder\nwith folder(): pass"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["agekit-copy", "agekit-link", "agekit-mine", "agekit-pipe"]


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
    run = python("from agekit._program import run; print(run(['version']))", env=environment)
    assert run.stdout.startswith("agekit"), run.stderr


def test_no_source_distribution():
    """A source distribution would have no program: the build says so and makes none."""
    found = subprocess.run([sys.executable, "setup.py", "-q", "sdist"], cwd=pathlib.Path(__file__).parents[1], capture_output=True, text=True)
    assert found.returncode != 0
    assert "agekit has no source distribution" in found.stderr
