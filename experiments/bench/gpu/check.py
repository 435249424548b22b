"""Check the program on a GPU and time it against its rivals: check.py a|b|c|d [WORD…]. check.sh starts it."""
import importlib.metadata
import importlib.util
import json
import os
import sys
import tempfile
import threading

import compare
from recorder import Recorder
from workloads import SIZE, arguments, name

PROGRAMS = os.environ["GOPHE_PROGRAMS"]
BACKEND = os.environ.get("GOPHE_CHECK_BACKEND", "xla:cuda")
DEVICE = "gpu" if BACKEND == "xla:cuda" else "cpu"
PART_SECONDS = 470  # a call of the lent machine ends at 600, its start and the transfers included
PHE = os.path.join(PROGRAMS, "phe")
RIVALS = os.path.join("experiments", "bench", "rivals")
RESULTS = os.path.join("experiments", "out")  # measured on a processor
UNFIT = 4  # a rival's exit code: it does not do this workload


def part_a(r):
    """The machine, the tests of everything that computes in graphs, and Adult with many seeds side by side."""
    machine(r)
    tests(r)
    for w in SIZE.adult() + SIZE.whole:
        ours(r, w, 60)


def part_b(r):
    """The same steps in JAX and PyTorch, in turn with ours. Compiling in PyTorch takes longest and comes last."""
    few = [w for w in SIZE.adult() if w["seeds"] == SIZE.seeds[0]]
    for w in few:
        in_turn(r, w)
    for w in few:
        theirs(r, "torch-compile", w, 90)
    for w in SIZE.adult():
        if w not in few:
            in_turn(r, w)
    for w in few:
        theirs(r, "torch-graphs", w, 90)


def part_c(r):
    """Time the steps of the recommender, the deep Kalman filter and their rivals; then run a seed of Retail."""
    work = SIZE.ncf + SIZE.dkf
    for w in work:
        in_turn(r, w)
    ours(r, SIZE.retail, 180)
    for mode in ("torch-compile", "torch-graphs"):
        for w in work:
            theirs(r, mode, w, 90)


def part_d(r):
    """Run PHE on all rows of Covertype. When the time is up, a partial result stays."""
    stored = [] if "--quick" in SIZE.covertype else stored_cells(r)
    spec = json.load(open(os.path.join("experiments", "specs", "covertype-full-stream.json")))
    spec["name"], spec["methods"] = "covertype-phe", spec["methods"][:1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "covertype-phe.json")
        json.dump(spec, open(path, "w"))
        argv = [PHE, "run", path, "--json", "--backend", BACKEND, "--out", os.path.join(r.folder, "results"), *SIZE.covertype]
        status, output, facts = r.run("covertype whole", argv, PART_SECONDS)
    cells = [cell for cell in json_lines(output) if cell.get("method") == "PHE"]
    r.write("covertype whole", status, cells=cells, scores=compare.cells(cells, stored), **facts)


def machine(r):
    """Return the versions of the installed programs."""
    _, output, facts = r.run("doctor", [PHE, "doctor", "--json"], 60)
    findings = json_lines(output)
    cuda = [f for f in findings if f["what"] in ("backend", "cuda")]
    works = any(f["found"] for f in findings if f["name"] == BACKEND)
    r.write("doctor", "ok" if works else "failed", findings=cuda, **facts)
    r.write("packages", "ok", python=sys.version.split()[0], cores=os.cpu_count(),
            **{package: version(package) for package in ("jax", "jaxlib", "jax-cuda13-pjrt", "torch", "numpy")})


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def tests(r):
    """The test programs, side by side: they spend their time on compiling. Operations are made deterministic, since some
    tests ask for equal bits."""
    env = {"GOPHE_TEST_BACKEND": BACKEND}
    if DEVICE == "gpu":
        env["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " --xla_gpu_deterministic_ops=true").strip()
    threads = [threading.Thread(target=test, args=(r, program, flags, env)) for program, flags in SIZE.tests.items()
               if r.wants("test " + program)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def test(r, program, flags, env):
    folder = "phe" if program == "phe" else os.path.join("phe", program)
    argv = [os.path.join(PROGRAMS, program + ".test"), *flags]
    status, output, facts = r.run("test " + program, argv, 160, cwd=folder, env=env, log=program + ".test.log")
    outcomes = [line.split() for line in output.split("\n") if line.startswith("--- ")]
    failed = [o[2] for o in outcomes if o[1] == "FAIL:"]
    facts.pop("tail", None)  # it has a log of its own
    r.write("test " + program, status, passed=sum(o[1] == "PASS:" for o in outcomes), failed=failed, **facts)


def in_turn(r, w):
    """Time a workload here and in the frameworks that start quickly."""
    ours(r, w, 60)
    theirs(r, "jax", w, 60)
    theirs(r, "torch-eager", w, 60)


def ours(r, w, limit):
    """Time this program on a workload."""
    step = "gophe " + name(w)
    if r.wants(step):
        measure(r, step, [PHE, "bench", "--backend", BACKEND, *arguments(w)], limit)


def theirs(r, rival, w, limit):
    """Time a rival on a workload that this program has exported."""
    step = f"{rival} {name(w)}"
    if not r.wants(step):
        return
    framework, _, mode = rival.partition("-")
    if (framework, w["task"]) == ("jax", "dkf"):
        return  # nobody wrote it
    program = os.path.join(RIVALS, f"phe_{framework}.py")
    if not os.path.exists(program) or not importlib.util.find_spec(framework):
        r.write(step, "skipped", why=f"{framework} or {program} is not here")
        return
    data = exported(r, w)
    if not os.path.exists(os.path.join(data, "meta.json")):
        r.write(step, "skipped", why="there is no data for it: see the log of the export")
        return
    flags = {key: value for key, value in w.items() if key != "rows"}  # the data has the rows
    argv = [sys.executable, program, "--data", data, "--device", DEVICE, *arguments(flags)]
    measure(r, step, argv + (["--mode", mode] if mode else []), limit, env={"XLA_PYTHON_CLIENT_PREALLOCATE": "false"})


def measure(r, step, argv, limit, env=None):
    """Run a program that prints one measurement, and compare its scores with XLA's on a processor."""
    status, output, facts = r.run(step, argv, limit, env=env)
    if facts.get("code") == UNFIT:
        status, facts = "skipped", {"why": "it does not do this workload"}
    measured = json_lines(output)[-1:] if status == "ok" else []
    if status == "ok" and not measured:
        status = "failed"
    if measured:
        facts.update(measurement=measured[0], scores=compare.measurement(measured[0]))
    r.write(step, status, **facts)


def exported(r, w):
    """The folder of a task's data, which every framework reads."""
    rows = w.get("rows")
    folder = os.path.join(PROGRAMS, f"data-{w['task']}-{rows or 'own'}")
    if not os.path.exists(os.path.join(folder, "meta.json")):
        argv = [PHE, "bench", "--task", w["task"], "--export", folder] + (["--rows", str(rows)] if rows else [])
        r.run("export " + w["task"], argv, 60)
    return folder


def stored_cells(r):
    """The cells of Covertype that were measured on a processor."""
    _, output, _ = r.run("stored", [PHE, "table", "covertype", "--json", "--out", RESULTS], 60)
    return [cell for cell in json_lines(output) if cell.get("spec") == "covertype-full-stream" and cell.get("method") == "PHE"]


def json_lines(text):
    """The lines that are JSON objects."""
    objects = []
    for line in text.split("\n"):
        if line.startswith("{"):
            try:
                objects.append(json.loads(line))
            except ValueError:
                pass  # cut off when the program was stopped
    return objects


PARTS = {"a": part_a, "b": part_b, "c": part_c, "d": part_d}


def main(part, *words):
    if part not in PARTS:
        sys.exit(f"there is no part {part!r}; choose one of {', '.join(PARTS)}")
    if not os.path.isdir(os.path.join("experiments", "specs")):
        sys.exit("run this in the root of a checkout")
    limit = float(os.environ.get("GOPHE_CHECK_SECONDS", PART_SECONDS))
    PARTS[part](Recorder(os.environ["OUT"], part, limit, words))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("name a part: a, b, c or d")
    main(*sys.argv[1:])
