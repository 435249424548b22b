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

# The work: its name, its task, what `phe bench` and the rivals are told, and who does it. Steps are whole epochs. Adult by moments is the whole study;
# the rest is cut, since JAX takes half an hour for the whole of Adult by rows.
CASES = [
    ("Adult, moments", "adult", "--scheme moments --seeds 5 --steps 8500 --chunks 317", ("gophe", "jax")),
    ("Adult, local", "adult", "--scheme local --seeds 5 --steps 1700 --chunks 60", ("gophe", "jax")),
    ("Adult, rows", "adult", "--scheme rows --seeds 5 --steps 170 --chunks 6", ("gophe", "jax")),
    ("Retail, DKF", "dkf", "--steps 696 --chunks 10", ("gophe", "torch-eager", "torch-compile")),
    ("Ratings, NCF", "ncf", "--steps 277 --chunks 30", ("gophe", "torch-eager", "torch-compile", "jax")),
]


class Bench:
    """Bench runs programs and keeps what they measured."""

    def __init__(self, args):
        self.args, self.file = args, args.to / "measurements.jsonl"
        sources = [args.phe, *sorted(HERE.glob("*.py")), args.python.parent.parent / "installed"]
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

    def all(self):
        """all measures every case by every program in turn, round after round."""
        plan = [(number, case, program) for number in range(self.args.rounds) for case in CASES if self.args.only in case[0] for program in case[3]]
        done = {(run["round"], run["case"], run["program"]) for run in self.runs}
        for i, (number, (name, task, flags, _), program) in enumerate(plan, 1):
            if (number, name, program) in done:
                continue
            print(f"{i:3d} of {len(plan)}: {name}, {program}", end="", flush=True, file=sys.stderr)
            run = {"setup": self.setup, "case": name, "flags": flags, "program": program, "round": number, **measured(self.command(program, task, flags))}
            print(f": {run['cpu_seconds']:.1f} s of one core", file=sys.stderr)
            self.runs.append(run)
            self.write(run)


def measured(command):
    """measured runs a program and returns its line of results and what the whole process cost."""
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
    """machine describes what the measurements were made on and with."""
    model = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    listed = subprocess.run([args.python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True).stdout
    return {"processor": model[0] if model else platform.machine(), "cores": os.cpu_count(), "system": platform.platform(),
            "python": platform.python_version(), "packages": {p["name"]: p["version"] for p in json.loads(listed)}}


def medians(runs, case, program):
    """medians returns a program's median seconds, or None where it has not run."""
    own = [run for run in runs if run["case"] == case and run["program"] == program]
    if not own:
        return None
    def median(of):
        values = [of(run) for run in own]
        return statistics.median(values) if None not in values else None
    per_step = lambda name: median(lambda run: 1e3 * run["result"][name] / run["result"]["steps"] if name in run["result"] else None)
    return {"cpu": median(lambda run: run["cpu_seconds"]), "wall": median(lambda run: run["wall_seconds"]), "cpu_step": per_step("cpu_step_seconds"),
            "wall_step": per_step("seconds"), "rounds": len(own), "scores": own[0]["result"]["scores"]}


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "|---|---|" + "---:|" * (len(heading) - 2)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def tables(runs):
    """tables returns the medians as text: processor time, wall time, and the scores."""
    show = lambda x, digits=1: "–" if x is None else f"{x:,.{digits}f}"
    ratio = lambda x, base: "–" if x is None or not base else f"{x / base:.2f}"
    cpu, wall, scores = [], [], []
    for name, _, _, programs in CASES:
        base = medians(runs, name, "gophe")
        for program in programs:
            m = medians(runs, name, program)
            if not base or not m:
                continue
            cpu.append([name, program, show(m["cpu"]), show(m["cpu_step"], 2), f"{ratio(m['cpu'], base['cpu'])} · {ratio(m['cpu_step'], base['cpu_step'])}"])
            wall.append([name, program, show(m["wall"]), show(m["wall_step"], 2), f"{ratio(m['wall'], base['wall'])} · {ratio(m['wall_step'], base['wall_step'])}"])
            for metric, value in sorted(m["scores"].items()):
                if not metric.endswith("_sd"):
                    scores.append([name, program, metric, f"{value:.5f}", show(m["scores"].get(metric + "_sd"), 5)])
    return "\n\n".join([
        "Processor time; the last column is in units of gophe's, of the process and of a step.",
        table(["work", "program", "process, s", "training step, ms", "times gophe"], cpu),
        "Wall time.", table(["work", "program", "process, s", "training step, ms", "times gophe"], wall),
        "Scores along the stream, before each update: mean and standard deviation over seeds.",
        table(["work", "program", "score", "mean", "deviation"], scores)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phe", type=Path, required=True, help="our program")
    parser.add_argument("--python", type=Path, required=True, help="of the virtual environment that has the rivals' packages")
    parser.add_argument("--to", type=Path, required=True, help="folder for data and measurements")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--core", type=int, help="the core that all programs run on; default: the last one that is allowed")
    args = parser.parse_args()
    args.phe, args.python = args.phe.absolute(), args.python.absolute()
    args.to.mkdir(parents=True, exist_ok=True)
    core = max(os.sched_getaffinity(0)) if args.core is None else args.core
    os.sched_setaffinity(0, {core})
    bench = Bench(args)
    bench.all()
    text = tables(bench.runs)
    (args.to / "table.md").write_text(text + "\n")
    print(text)


main()
