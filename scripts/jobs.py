#!/usr/bin/env python3
"""Measures whole trainings, each in a process of its own, and prints them as a table.

    scripts/jobs.py cora planted-10000@20 --backend native,xla:cpu --out jobs.json

A job is a data set, or planted-N for a planted graph of N nodes with 7 edges per node and 128
features; @20 stands for 20 epochs instead of 400. What follows -- goes to "agekit fit", such as
-- --batch all. With --out, each measurement is written to the file as soon as it is made, in
place of an older one of the same job and backend, and the table has all jobs of the file.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time

COLUMNS = ("job", "backend", "ranking", "nodes", "seconds", "of native", "processor seconds", "MB", "device MB", "load", "filter",
           "select", "train", "cluster", "compile", "ACC", "NMI", "ARI", "modularity", "Davies–Bouldin", "epoch", "last loss")


def device_bytes():
    """The memory in use on the first NVIDIA GPU, None without one."""
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--id=0"]
    try:
        return int(subprocess.run(query, capture_output=True, check=True, timeout=10).stdout) << 20
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def watch_device(done, peak):
    """Samples the memory that the GPU has in use. XLA holds its memory until its process ends,
    so that a few samples a second find the peak."""
    while not done.wait(0.3):
        peak[0] = max(peak[0], device_bytes() or 0)


def measure(program, job, backend, more):
    """Runs a job with an empty store, so that it cannot go on with an earlier run."""
    name, _, epochs = job.partition("@")
    dataset = re.sub(r"^planted-(\d+)$", r"planted:n=\1,degree=14,f=128,seed=1", name)
    command = [program, "fit", "--json", "--no-auto", "--no-views", "--dataset", dataset, "--epochs", epochs or "400", "--backend", backend, *more]
    before, done = device_bytes(), threading.Event()
    peak = [before]
    watch = threading.Thread(target=watch_device, args=(done, peak))
    with tempfile.TemporaryDirectory() as store, tempfile.TemporaryFile() as out:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, env={**os.environ, "AGEKIT_STORE": store})
        if before is not None:
            watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # or Popen would wait for it
        done.set()
        if before is not None:
            watch.join()
        if status:
            raise RuntimeError(f"{job} on {backend}: exit code {process.returncode}")
        out.seek(0)
        fit = json.load(out)
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
    on_device = backend.startswith("xla:") and before is not None
    return {"job": " ".join([job, *more]), "backend": fit["backend"], "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "machine": f"{platform.node()}, {os.cpu_count()} cores", "seconds": seconds, "processor_seconds": usage.ru_utime + usage.ru_stime,
            "peak_rss_bytes": usage.ru_maxrss * unit, "device_memory_bytes": peak[0] - before if on_device else None, "fit": fit}


def cells(row, native):
    """The cells of a job's line. native has the seconds of the jobs on the native backend."""
    fit, stages = row["fit"], row["fit"]["seconds"]
    number = lambda value, form: "–" if value is None else format(value, form)
    megabytes = lambda value: "–" if value is None else f"{value >> 20:,}"
    base = native.get(row["job"])
    curves = fit.get("training")
    return (row["job"], row["backend"], fit["ranking"], f"{fit['n']:,}", f"{row['seconds']:.1f}", number(base and row["seconds"] / base, ".2f"),
            f"{row['processor_seconds']:.1f}", megabytes(row["peak_rss_bytes"]), megabytes(row.get("device_memory_bytes")),
            *(number(stages.get(s), ".1f") for s in ("load", "filter", "select", "train", "cluster", "compile")),
            *(number(fit.get(s), ".3f") for s in ("acc", "nmi", "ari", "modularity", "dbi")),
            f"{fit['epoch']} of {fit['epochs']}", number(curves and curves[0]["loss"][-1], ".4f"))


def table(rows):
    rows = sorted(rows, key=lambda row: (row["fit"]["n"], row["job"], row["backend"] != "native", row["backend"]))
    native = {row["job"]: row["seconds"] for row in rows if row["backend"] == "native"}
    lines = [COLUMNS, ["---"] * 3 + ["---:"] * (len(COLUMNS) - 3), *(cells(row, native) for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB[@EPOCHS]")
    parser.add_argument("--backend", default="native", help="backends, separated by commas (default: native)")
    parser.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parent.parent / ".bin/agekit"))
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE.json")
    arguments, more = sys.argv[1:], []
    if "--" in arguments:
        split = arguments.index("--")
        arguments, more = arguments[:split], arguments[split + 1:]
    options, failed = parser.parse_args(arguments), False
    rows = json.loads(options.out.read_text())["jobs"] if options.out and options.out.exists() else []
    for job in options.jobs:
        for backend in options.backend.split(","):
            try:
                row = measure(options.program, job, backend, more)
            except RuntimeError as error:
                print(f"jobs.py: {error}", file=sys.stderr)
                failed = True
                continue
            rows = [r for r in rows if (r["job"], r["backend"]) != (row["job"], row["backend"])] + [row]
            if options.out:
                part = options.out.with_suffix(".part")
                part.write_text(json.dumps({"jobs": rows}, indent=2) + "\n")
                part.replace(options.out)
    print(table(rows))
    return failed


if __name__ == "__main__":
    sys.exit(main())
