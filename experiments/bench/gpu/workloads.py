"""The workloads that are timed, here and by rivals in other frameworks, and the runs that are not timed."""
import os


def workload(task, **flags):
    """A workload is the flags of `phe bench`."""
    return {"task": task, **flags}


def arguments(w):
    return [part for name, value in w.items() for part in (f"--{name}", str(value))]


def name(w):
    """As steps are called: adult scheme=local seeds=5 …"""
    return " ".join([w["task"], *(f"{key}={value}" for key, value in w.items() if key != "task")])


class Full:
    """A GPU's sizes: a call takes seconds, most of them compilation."""

    adult_size = {"steps": 1700, "chunks": 60}
    schemes = ["moments", "local", "rows"]
    seeds = [5, 256, 32, 1]  # in order of worth
    whole = [workload("adult", scheme=s, seeds=5, steps=8500, chunks=317) for s in ("moments", "local")]  # the study's
    dkf = [workload("dkf", seeds=1, steps=348, chunks=5)]
    retail = workload("dkf", seeds=1, steps=5220, chunks=261)  # the whole of a seed
    ncf = [workload("ncf", seeds=1, batch=batch, rows=rows, steps=steps, chunks=10)
           for batch, steps in ((1024, 100), (65536, 10)) for rows in (10009, 1000003)]
    tests = {program: ["-test.v", "-test.timeout=150s"] for program in ("phe", "dkf", "ncf", "tabular")}
    covertype = ["--seeds", "5"]

    @classmethod
    def adult(cls):
        return [workload("adult", scheme=s, seeds=n, **cls.adult_size) for n in cls.seeds for s in cls.schemes]


class Tiny(Full):
    """The rehearsal's sizes: every step once, on a processor, in a minute."""

    adult_size = {"steps": 85, "chunks": 3}
    schemes = ["moments"]
    seeds = [2]
    whole = []
    dkf = []  # Retail is the same
    retail = workload("dkf", seeds=1, steps=3, chunks=1)
    ncf = [workload("ncf", seeds=1, batch=64, rows=10009, steps=3, chunks=1)]
    tests = {program: ["-test.v", "-test.run", pattern] for program, pattern in {
        "phe": "TestAdam|TestKL|TestNoiseGolden|TestLoopEqualsSteps", "dkf": "TestGRU|TestByHand",
        "ncf": "TestPredictInBlocks", "tabular": "TestPredictPrefix"}.items()}
    covertype = ["--quick"]


SIZE = Tiny if os.environ.get("GOPHE_CHECK_SIZE") == "tiny" else Full
