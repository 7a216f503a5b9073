"""Tortures the built program: kills it, fills its disk, flips bits in its files, runs it twice
at once, and gives it damaged input.

    scripts/torture.py [--hours 1 | --rounds 20] [--seed 7] [--program .bin/agekit]

Each round prints a line. Whatever happens, the program must end in time with the exit code 0,
1 or 2 and no trace of a panic; outputs must be those of an undisturbed run, byte for byte, or
the ones from before; and `agekit verify` must find and name every flipped bit. A round that
fails is kept in .bin/torture, with its files and run.sh, which repeats the last command. The
same seed makes the same rounds, but for the moments at which a process happens to be killed.
"""

import argparse
import os
import pathlib
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 120  # seconds for a command that takes one or two
SAME = ("embeddings.npy", "labels.txt", "nodes.csv", "model.npz")
FIT = "fit --dataset planted:n=120,f=40,classes=3,words=6 --epochs 30 --update 5 --dims 24 --batch 500 --backend native --checkpoint-every 5ms --no-views --export graphml,parquet --out out"


class Failure(Exception):
    pass


class Round:
    """A folder with a store and a home of its own."""

    def __init__(self, program, folder, chance):
        self.program, self.folder, self.chance, self.last = program, folder, chance, None
        for name in ("store", "home", "cache"):
            (folder / name).mkdir(exist_ok=True)

    def start(self, args, **options):
        env = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder / "home"), "XDG_CACHE_HOME": str(self.folder / "cache"), "AGEKIT_STORE": str(self.folder / "store"), "TMPDIR": str(self.folder)}
        self.last = args
        return subprocess.Popen([self.program, *args], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)

    def end(self, process):
        """Waits, and returns the exit code and the messages of a program that may fail, but
        not break."""
        try:
            _, errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired as hung:
            process.kill()
            process.communicate()
            raise Failure(f"did not end within {LIMIT} s") from hung
        errors = errors.decode(errors="replace")
        if process.returncode not in (0, 1, 2, -signal.SIGKILL, -signal.SIGTERM) or "panic" in errors or "goroutine " in errors:
            raise Failure(f"exit code {process.returncode}: {errors[-300:]}")
        if process.returncode in (1, 2) and "agekit: " not in errors:
            raise Failure(f"exit code {process.returncode} without a message")
        return process.returncode, errors

    def run(self, command, **options):
        return self.end(self.start(command if isinstance(command, list) else shlex.split(command), **options))

    def must(self, command):
        code, errors = self.run(command)
        if code != 0:
            raise Failure(f"exit code {code}: {errors[-300:]}")

    def same(self, reference, out="out"):
        for name in SAME:
            if (self.folder / out / name).read_bytes() != reference[name]:
                raise Failure(f"{name} is not that of an undisturbed run")
        self.must(f"verify {out}")
        left = [p.name for p in (self.folder / out).iterdir() if p.name.startswith(".agekit-")]
        if left:
            raise Failure(f"left behind: {left}")


def kills(r, reference):
    """Kills a fit up to three times, and lets it finish."""
    times = [r.chance.uniform(0, 1.2) for _ in range(r.chance.randint(1, 3))]
    for after in times:
        process = r.start(shlex.split(FIT))
        time.sleep(after)
        process.send_signal(r.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
        r.end(process)
    r.must(FIT)
    r.same(reference)
    return f"killed after {', '.join(f'{t:.2f}' for t in times)} s"


def full_disk(r, reference):
    """Runs with a limit to the size of any file, as on a disk that is full: an error, or the
    result; never a part."""
    r.must(FIT + " --seed 2")  # of an earlier run
    before = {name: (r.folder / "out" / name).read_bytes() for name in SAME}
    size = r.chance.choice([0, 1, 100, 1000, 4096, 10_000, 30_000, 100_000])

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    code, _ = r.run(FIT, preexec_fn=limit)
    if code == 0:
        r.same(reference)
    elif any((r.folder / "out" / name).read_bytes() != before[name] for name in SAME):
        raise Failure("the files of the earlier run have changed")
    else:
        r.must("verify out")
    r.must(FIT)
    r.same(reference)
    return f"files of at most {size} bytes: exit code {code}"


def flip(path, chance):
    whole = bytearray(path.read_bytes())
    at = chance.randrange(len(whole))
    whole[at] ^= 1 << chance.randrange(8)
    path.write_bytes(whole)
    return at


def flipped_output(r, reference):
    """Flips a bit in an output: verify names the file, and what reads it does not break.
    The next run refuses to replace the file."""
    r.must(FIT)
    path = r.chance.choice(sorted(p for p in (r.folder / "out").iterdir() if p.is_file()))
    at = flip(path, r.chance)
    code, errors = r.run("verify out")
    if code != 1 or f"files differ: {path.name}" not in errors:
        raise Failure(f"byte {at} of {path.name}: {errors[-200:]}")
    for command in ("report out", "compare out out", "predict --model out/model.npz --features none.npy --edges none.txt", "fit --config out/run.json --epochs 1 --out other"):
        r.run(command)
    code, errors = r.run(FIT)
    if code != 1 or path.name not in errors:
        raise Failure(f"a file that no run wrote may be replaced: {path.name}: {errors[-200:]}")
    shutil.rmtree(r.folder / "out")
    r.must(FIT)
    r.same(reference)
    return f"byte {at} of {path.name}"


def flipped_store(r, reference):
    """Flips bits in what a killed fit has stored: it is computed again, never used."""
    process = r.start(shlex.split(FIT))
    time.sleep(r.chance.uniform(0.2, 0.8))
    process.kill()
    r.end(process)
    files = sorted(p for p in (r.folder / "store").rglob("*") if p.is_file() and p.stat().st_size)
    for path in files:
        flip(path, r.chance)
    r.must(FIT)
    r.same(reference)
    return f"a bit in each of {len(files)} stored files"


def at_once(r, reference):
    """Two fits to one folder: one may be refused, and the files are whole."""
    first = r.start(shlex.split(FIT))
    time.sleep(r.chance.uniform(0, 0.5))
    second = r.start(shlex.split(FIT))
    codes = [r.end(first)[0], r.end(second)]
    if codes[0] != 0 and codes[1][0] != 0:
        raise Failure(f"both failed: {codes[1][1][-300:]}")
    r.same(reference)
    return f"exit codes {codes[0]} and {codes[1][0]}"


def damaged_input(r, _):
    """Damages files of a graph in several ways, and reads them."""
    source = r.chance.choice(["tables", "graphml", "gexf", "npz", "npy", "txt"])
    names = {"tables": ["p.csv", "p-edges.csv"], "npy": ["x.npy", "k.txt"], "txt": ["k.txt"]}.get(source, [f"g.{source}"])
    for name in names:
        shutil.copy(SEEDS / name, r.folder / name)
    path = r.folder / r.chance.choice(names)
    whole = bytearray(path.read_bytes())
    for _ in range(r.chance.choice([1, 1, 2, 5, 20])):
        a, b = sorted(r.chance.randrange(len(whole) + 1) for _ in range(2))
        way = r.chance.randrange(6)
        if way == 0 and a < len(whole):
            whole[a] ^= 1 << r.chance.randrange(8)
        elif way == 1:
            del whole[a : min(b, a + r.chance.choice([1, 10, 1000]))]
        elif way == 2:
            whole[a:a] = whole[a : min(b, a + 1000)] * r.chance.choice([1, 2, 50])
        elif way == 3:
            whole[a:a] = r.chance.choice([b"\x00", b'"', b"'", b"\n", b"\r", b",", b"\xff\xfe", b"=1+1", b"1e999", b"-1", b"nan", b"<", b"]]>", b"&x;", b"\xe2\x80\xa8", b"99999999999999999999"])
        elif way == 4:
            del whole[a:]
        elif way == 5:
            whole[a:b] = r.chance.randbytes(min(b - a, 64))
        whole = whole or bytearray(b"x")
    path.write_bytes(whole)
    given = {
        "tables": "--nodes p.csv --edges p-edges.csv", "graphml": "--dataset g.graphml", "gexf": "--dataset g.gexf", "npz": "--edges g.npz", "npy": "--edges k.txt --features x.npy", "txt": "--edges k.txt",
    }[source]
    code, _ = r.run(f"fit {given} --clusters 2 --layers 1 --epochs 1 --dims 4 --no-map --no-views --out out")
    if code == 0:
        r.must("verify out")
    return f"{path.name}: exit code {code}"


KINDS = [kills, full_disk, flipped_output, flipped_store, at_once, damaged_input, damaged_input, damaged_input, damaged_input, damaged_input, damaged_input]


def seeds(program, folder):
    """Makes files of several formats to damage."""
    r = Round(program, folder, None)
    for name, new in (("karate.txt", "k.txt"), ("karate.graphml", "g.graphml"), ("penguins.csv", "p.csv"), ("penguins-edges.csv", "p-edges.csv")):
        shutil.copy(ROOT / "assets/examples" / name, folder / new)
    r.must("fit --edges k.txt --clusters 2 --layers 1 --epochs 1 --dims 4 --no-views --export gexf --out made")
    shutil.copy(folder / "made/graph.gexf", folder / "g.gexf")
    shutil.copy(folder / "made/model.npz", folder / "g.npz")
    shutil.copy(folder / "made/embeddings.npy", folder / "x.npy")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=0)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / ".bin/agekit")
    options = parser.parse_args()
    program, kept = options.program.resolve(), ROOT / ".bin/torture"
    end = time.monotonic() + 3600 * options.hours
    print(f"torture: seed {options.seed}", flush=True)
    failed = number = 0
    with tempfile.TemporaryDirectory(prefix="agekit-torture-", ignore_cleanup_errors=True) as scratch:
        scratch = pathlib.Path(scratch)
        global SEEDS
        SEEDS = scratch / "seeds"
        SEEDS.mkdir()
        seeds(str(program), SEEDS)
        whole = scratch / "whole"
        whole.mkdir()
        r = Round(str(program), whole, None)
        r.must(FIT)
        reference = {name: (whole / "out" / name).read_bytes() for name in SAME}
        while number < options.rounds or time.monotonic() < end:
            number += 1
            chance = random.Random(f"{options.seed} {number}")
            # The first rounds have one of each kind.
            kind = KINDS[number - 1] if number <= 6 else chance.choice(KINDS)
            folder = scratch / "round"
            folder.mkdir()
            r = Round(str(program), folder, chance)
            start = time.monotonic()
            try:
                said = "ok: " + kind(r, reference)
            except Failure as failure:
                failed += 1
                said = f"FAILED: {failure}"
                place = kept / f"{options.seed}-{number}"
                shutil.copytree(folder, place, dirs_exist_ok=True)
                (place / "run.sh").write_text(
                    f"#!/bin/sh\n# {kind.__name__}: {str(failure)!r}\ncd \"$(dirname -- \"$0\")\" || exit\nAGEKIT_STORE=$PWD/store XDG_CACHE_HOME=$PWD/cache exec {shlex.quote(str(program))} {shlex.join(r.last)}\n",
                    encoding="utf-8",
                )
                said += f"; kept in {place}"
            shutil.rmtree(folder, ignore_errors=True)
            print(f"{number} {kind.__name__} {time.monotonic() - start:.1f} s {said}", flush=True)
    print(f"torture: {number} rounds, {failed} failed; again: --seed {options.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
