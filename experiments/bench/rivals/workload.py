"""What all programs of the comparison share: the work that `phe bench --export` describes, the order of its rows, and the line of results."""

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("numpy is not installed", file=sys.stderr)
    sys.exit(3)


def arguments(frameworks_own=lambda parser: None):
    """arguments parses the flags that all programs share, and what frameworks_own adds."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--data", type=Path, required=True, help="folder that `phe bench --export` wrote")
    parser.add_argument("--task", choices=["adult", "dkf", "ncf"], required=True)
    parser.add_argument("--scheme", choices=["moments", "local", "rows"], help="default: the workload's")
    parser.add_argument("--seeds", type=int, default=1, help="seeds 0 … N−1 train side by side")
    parser.add_argument("--batch", type=int, help="rows a step; default: the workload's")
    parser.add_argument("--steps", type=int, default=0, help="steps of the initial phase")
    parser.add_argument("--repeat", type=int, default=1, help="take these steps so many times; above 1, also tell the medians of the calls that compiled nothing")
    parser.add_argument("--chunks", type=int, default=0, help="chunks of the stream after it")
    parser.add_argument("--device", choices=["cpu", "gpu"], default="cpu")
    frameworks_own(parser)
    return parser.parse_args()


class Workload:
    """Workload is a folder's description and arrays, by name."""

    def __init__(self, args):
        self.meta = json.loads((args.data / "meta.json").read_text())
        if self.meta["task"] != args.task:
            refuse(f"{args.data} holds the task {self.meta['task']}, not {args.task}; export it anew")
        self.arrays = {name: self._read(args.data / f"{name}.bin", layout) for name, layout in self.meta["arrays"].items()}
        self.config, self.encoder = self.meta["config"], self.meta["config"]["encoder"]
        self.scheme = args.scheme or self.config["scheme"]
        self.batch, self.seeds = args.batch or self.config["batch_size"], args.seeds
        self.initial, self.num_chunks = self.arrays["initial"], min(args.chunks, self.meta["chunks"])
        if args.steps < -(-len(self.initial) // self.batch):  # less than an epoch: an epoch of fewer rows
            self.initial = self.initial[: args.steps * self.batch]
        self.per_epoch = -(-len(self.initial) // self.batch)
        self.num_epochs = args.repeat * -(-args.steps // self.per_epoch) if args.steps else 0
        self.has_laps = args.repeat > 1
        self.steps = self.num_epochs * self.per_epoch
        ends = self.arrays["chunk_ends"]
        self.chunks = np.split(self.arrays["chunk_rows"], ends)[: self.num_chunks]
        self.rng = np.random.default_rng(0)

    @staticmethod
    def _read(path, layout):
        return np.fromfile(path, np.dtype(layout["dtype"]).newbyteorder("<")).reshape(layout["shape"])

    def epochs(self):
        """epochs yields what minibatches returns for each epoch of the initial phase. These are whole: steps are rounded up."""
        for _ in range(self.num_epochs):
            yield self.minibatches(self.initial, self.batch)

    def minibatches(self, rows, size, epochs=1):
        """minibatches shuffles rows for each epoch and seed: order [steps, seeds, size] and masks [steps, size], 0 where a batch is padded."""
        per_epoch = -(-len(rows) // size)
        shuffled = self.rng.permuted(np.broadcast_to(rows, (epochs, self.seeds, len(rows))), axis=-1)
        padded = np.pad(shuffled, ((0, 0), (0, 0), (0, per_epoch * size - len(rows))), mode="edge")
        order = padded.reshape(epochs, self.seeds, per_epoch, size).swapaxes(1, 2).reshape(epochs * per_epoch, self.seeds, size)
        mask = (np.arange(per_epoch * size) < len(rows)).reshape(per_epoch, size)
        return np.ascontiguousarray(order), np.tile(mask, (epochs, 1)).astype(np.float32)

    @property
    def is_sparse(self):
        """is_sparse says whether an update touches few of the tables' rows, so that it should cost no more than these."""
        return self.meta["task"] == "ncf"

    def excerpt(self, rows, room):
        """excerpt returns the data of some ratings, in which slots number the rows of the tables that they use, and these rows.

        Data has room for a number of ratings, and the tables' rows have room for as many as these could use; a row beyond the table is room not used.
        """
        e_most, w_most, hashes = self.encoder["num_buckets"], self.encoder["num_weights"], self.encoder["num_hashes"]
        items = self.arrays["index"][rows]
        e_rows, slots = np.unique(self.arrays["buckets"][items], return_inverse=True)
        w_rows, weights = np.unique(self.arrays["weights"][items], return_inverse=True)
        data = {
            "index": np.arange(2 * room, dtype=np.int32).reshape(room, 2),
            "genres": filled(self.arrays["genres"][rows], room), "ratings": filled(self.arrays["ratings"][rows], room),
            "buckets": filled(slots.reshape(-1, hashes).astype(np.int32), 2 * room), "weights": filled(weights.reshape(-1).astype(np.int32), 2 * room),
        }
        return data, {"E": filled(e_rows, min(2 * hashes * room, e_most), e_most), "W": filled(w_rows, min(2 * room, w_most), w_most)}


def refuse(why):
    """refuse ends the program with the status for a workload that it does not support."""
    print(why, file=sys.stderr)
    sys.exit(4)


def filled(array, length, value=0):
    """filled extends an array by copies of a value."""
    return np.concatenate([array, np.full((length - len(array), *array.shape[1:]), value, array.dtype)])


class Clock:
    """Clock adds up the wall time and the CPU time of a program's parts. On a machine with other work only the second can be compared."""

    def __init__(self):
        self.parts = {part: np.zeros(2) for part in ("seconds", "stream_seconds", "compile_seconds")}
        self.part, self.start = None, 0.0
        self.laps, self.before = {"seconds": [], "stream_seconds": []}, {}

    def enter(self, part):
        """enter ends the part under way and starts another; None only ends it."""
        now = np.array([time.perf_counter(), time.process_time()])
        if self.part:
            self.parts[self.part] += now - self.start
        before, self.part, self.start = self.part, part, now
        return before

    def lap(self, units):
        """lap ends a call of the part under way, which did some units of work. The first call, and one that compiled, have no lap."""
        part = self.enter(self.part)
        now = self.parts[part][0], self.parts["compile_seconds"][0]
        before, self.before[part] = self.before.get(part), now
        if before and before[1] == now[1]:
            self.laps[part].append((now[0] - before[0]) / units)


def report(work, clock, framework, version, device, scores, peak_device_mb):
    """report prints the program's line. scores are [seeds] by name."""
    user, system = os.times()[:2]
    values = {}
    for name, by_seed in scores.items():
        values[name] = float(np.mean(by_seed))
        if len(by_seed) > 1:
            values[name + "_sd"] = float(np.std(by_seed, ddof=1))
    line = {
        "framework": framework, "version": version, "backend": "gpu" if peak_device_mb is not None else "cpu", "device": device,
        "task": work.meta["task"], "scheme": work.scheme, "seeds": work.seeds, "batch": work.batch, "rows": work.encoder["num_buckets"],
        "steps": work.steps, "chunks": work.num_chunks,
    }
    for part, (wall, cpu) in clock.parts.items():
        line |= {part: round(wall, 4), "cpu_step_seconds" if part == "seconds" else "cpu_" + part: round(cpu, 4)}
    if work.has_laps:
        line |= {name: float(np.median(laps)) if laps else None for name, laps in zip(("step_median", "row_median"), clock.laps.values())}
    line |= {"cpu_seconds": round(user + system, 3), "peak_device_mb": peak_device_mb,
             "peak_host_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6, "scores": values}
    print(json.dumps(line), flush=True)
