#!/usr/bin/env python3
"""Time gophe and its rivals on the same work, in turn, and print the medians as tables.

Each line of TO/measurements.jsonl is one run of one program. Started again, the program goes on with the runs that are missing; a change of any program
starts anew. Delete the file to measure again.
"""

import argparse
import hashlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = {"gophe": None, "jax": ["phe_jax.py"], "torch-eager": ["phe_torch.py", "--mode", "eager"], "torch-compile": ["phe_torch.py", "--mode", "compile"]}

# The work: its name, its task, what `phe bench` and the rivals are told, and who does it. Adult by moments is the whole study; the rest is cut, since JAX
# takes half an hour for the whole of Adult by rows. Steps are at least two epochs, so that the first can be left out of the time a step takes.
CASES = [
    ("Adult, moments", "adult", "--scheme moments --seeds 5 --steps 8500 --chunks 317", ("gophe", "jax")),
    ("Adult, local", "adult", "--scheme local --seeds 5 --steps 1700 --chunks 60", ("gophe", "jax")),
    ("Adult, rows", "adult", "--scheme rows --seeds 5 --steps 170 --chunks 6", ("gophe", "jax")),
    ("Retail, DKF", "dkf", "--steps 696 --chunks 10", ("gophe", "torch-eager", "torch-compile", "jax")),
    ("Ratings, NCF", "ncf", "--steps 554 --chunks 10", ("gophe", "torch-eager", "torch-compile", "jax")),
]

# What tells that all learn the same thing: scores of several seeds.
CHECKS = [
    ("Adult, moments", "adult", "--scheme moments --seeds 5 --steps 1700 --chunks 60", ("gophe", "jax", "torch-eager", "torch-compile")),
    ("Adult, local", "adult", "--scheme local --seeds 5 --steps 1700 --chunks 60", ("gophe", "jax", "torch-eager", "torch-compile")),
    ("Adult, rows", "adult", "--scheme rows --seeds 5 --steps 170 --chunks 20", ("gophe", "jax", "torch-eager", "torch-compile")),
    ("Retail, DKF", "dkf", "--seeds 5 --steps 1740 --chunks 10", ("gophe", "jax", "torch-eager")),
    ("Ratings, NCF", "ncf", "--seeds 5 --steps 277 --chunks 20", ("gophe", "jax", "torch-eager")),
]
MOST_ERRORS = 4  # standard errors of the difference between two means of a score


class Bench:
    """Bench runs programs and keeps their measurements."""

    def __init__(self, args):
        self.args, self.file = args, args.to / "measurements.jsonl"
        sources = [args.phe, HERE / "workload.py", *sorted(HERE.glob("phe_*.py")), args.python.parent.parent / "installed"]
        self.setup = hashlib.sha256(b"".join(hashlib.sha256(path.read_bytes()).digest() for path in sources)).hexdigest()[:12]
        lines = [json.loads(line) for line in self.file.read_text().splitlines()] if self.file.exists() else []
        self.runs = [line for line in lines if line["setup"] == self.setup and "program" in line]
        if not any(line["setup"] == self.setup for line in lines):
            self.write({"setup": self.setup, "machine": machine(args)})

    def write(self, line):
        with self.file.open("a") as out:
            out.write(json.dumps(line) + "\n")

    def exported(self, task):
        """exported is the folder of a task's data, which it writes where it is not there."""
        folder = self.args.to / f"{task}-{self.setup}"
        if not (folder / "meta.json").exists():
            subprocess.run([self.args.phe, "bench", "--task", task, "--export", folder], check=True, stdout=subprocess.DEVNULL)
        return folder

    def command(self, program, task, flags):
        flags = ["--task", task, *flags.split()]
        if program == "gophe":
            return [self.args.phe, "bench", "--backend", "xla:cpu", *flags]
        script, *mode = PROGRAMS[program]
        return [self.args.python, HERE / script, *mode, "--data", self.exported(task), *flags]

    def all(self, cases, rounds):
        """all measures every case by every program in turn, round after round, and returns the runs."""
        plan = [(number, case, program) for number in range(rounds) for case in cases if self.args.only in case[0] for program in case[3]]
        runs = []
        for i, (number, (name, task, flags, _), program) in enumerate(plan, 1):
            identity = {"setup": self.setup, "case": name, "flags": flags, "program": program, "round": number}
            run = next((run for run in self.runs if identity.items() <= run.items()), None)
            if not run:
                print(f"{i:3d} of {len(plan)}: {name}, {program}", end="", flush=True, file=sys.stderr)
                run = identity | measured(self.command(program, task, flags))
                print(f": {run['cpu_seconds']:.1f} s of processor time", file=sys.stderr)
                self.write(run)
            runs.append(run)
        return runs


def measured(command):
    """measured runs a program and returns its line of results and the cost of the whole process."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"\n{' '.join(map(str, command))} failed:\n{errors}")
    result = json.loads(output.strip().splitlines()[-1])
    # torch.compile starts compilers: their time is the program's too.
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall_seconds": wall, "cpu_seconds": cpu, "result": result}


def machine(args):
    """machine describes the hardware and the versions behind the measurements."""
    model = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    listed = subprocess.run([args.python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True).stdout
    return {"processor": model[0] if model else platform.machine(), "cores": os.cpu_count(), "system": platform.platform(),
            "python": platform.python_version(), "packages": {p["name"]: p["version"] for p in json.loads(listed)}}


def medians(runs, case, program, clock):
    """medians returns a program's median seconds of the process, milliseconds of a step and of a chunk; None where it has not run."""
    own = [run for run in runs if run["case"] == case and run["program"] == program]
    parts = {"cpu": ("cpu_seconds", "cpu_step_seconds", "cpu_stream_seconds"), "wall": ("wall_seconds", "seconds", "stream_seconds")}[clock]
    def median(values):
        values = list(values)
        return statistics.median(values) if values and None not in values else None
    each = lambda part, count: median(run["result"].get(part) and 1e3 * run["result"][part] / run["result"][count] for run in own)
    return [median(run[parts[0]] for run in own), each(parts[1], "steps"), each(parts[2], "chunks")]


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|---|---|" + "---:|" * (len(heading) - 2)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def times(runs, clock):
    """times is the table of medians by one clock, with ratios to gophe's."""
    def cell(value, ours):
        if value is None:
            return "–"
        return f"{value:,.{2 if value < 10 else 1}f}" + (f" ({value / ours:.2f} ×)" if ours and ours is not value else "")
    rows = []
    for name, _, _, programs in CASES:
        ours = medians(runs, name, "gophe", clock)
        for program in programs:
            values = ours if program == "gophe" else medians(runs, name, program, clock)
            if any(values):
                rows.append([name, program, *map(cell, values, ours)])
    return table(["work", "program", "process, s", "step, ms", "chunk, ms"], rows)


def tables(runs):
    rounds = 1 + max(run["round"] for run in runs)
    return "\n\n".join([f"Processor time, medians of {rounds}.", times(runs, "cpu"), f"Wall time, medians of {rounds}.", times(runs, "wall")])


def agreement(runs):
    """agreement compares every program's scores with gophe's: the table, and whether all differ by chance only."""
    rows, agree = [], True
    results = {(run["case"], run["program"]): run["result"] for run in runs}
    for (case, program), result in results.items():
        ours = results[case, "gophe"]
        for metric in sorted(name for name in result["scores"] if name + "_sd" in result["scores"] and name in ours["scores"]):
            mean, sd = result["scores"][metric], result["scores"][metric + "_sd"]
            own, own_sd = ours["scores"][metric], ours["scores"][metric + "_sd"]
            errors = abs(mean - own) / ((sd**2 + own_sd**2) / result["seeds"]) ** 0.5
            agree &= errors <= MOST_ERRORS
            if program != "gophe" or metric in results.get((case, "torch-eager"), result)["scores"]:
                rows.append([case, program, metric, f"{mean:.5f} ± {sd:.5f}", "" if program == "gophe" else f"{errors:.1f}"])
    return table(["work", "program", "score", "mean ± sd over seeds", "standard errors from gophe"], rows), agree


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phe", type=Path, default="bin/phe", help="our program")
    parser.add_argument("--python", type=Path, default=sys.executable, help="of the virtual environment that has the rivals' packages")
    parser.add_argument("--to", type=Path, default="out/rivals", help="folder for data and measurements")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--core", type=int, help="the core that all programs run on; default: the last one that is allowed")
    parser.add_argument("--scores", action="store_true", help="compare the scores of several seeds in place of timing; status 1 where they differ")
    parser.add_argument("--table", type=Path, help="measure nothing; print the tables of this file of measurements")
    args = parser.parse_args()
    if args.table:
        lines = [json.loads(line) for line in args.table.read_text().splitlines()]
        print(tables([line for line in lines if line["setup"] == lines[-1]["setup"] and "program" in line]))
        return
    args.phe, args.python = args.phe.absolute(), args.python.absolute()
    args.to.mkdir(parents=True, exist_ok=True)
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0)) if args.core is None else args.core})
    bench = Bench(args)
    if args.scores:
        text, agree = agreement(bench.all(CHECKS, rounds=1))
        print(text)
        sys.exit(not agree)
    runs = bench.all(CASES, args.rounds)
    text = tables(runs)
    (args.to / "table.md").write_text(text + "\n")
    print(text)


main()
