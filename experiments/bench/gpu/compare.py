"""Compare scores with those that XLA reached on a processor.

A score agrees if it differs from the processor's by at most four standard errors, which the spread over seeds gives:
4·sd·sqrt(1/n + 1/m), n and m the numbers of seeds. Rounding differs between devices and training multiplies the
difference, so runs of one seed differ as runs of two seeds do, or less.
"""
import json
import math
import os

REFERENCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference.jsonl")
WORK = ("task", "scheme", "batch", "rows", "steps", "chunks")  # all but the seeds


def measurement(m, reference=REFERENCE):
    """Return the verdict on a measurement's scores: agree, differ (and where), or none to compare with."""
    for line in open(reference):
        r = json.loads(line)
        if all(r[key] == m.get(key) for key in WORK):
            return verdict([(key, m["scores"].get(key), value, r["scores"].get(key + "_sd"), m["seeds"], r["seeds"])
                            for key, value in r["scores"].items() if not key.endswith("_sd")])
    return "no reference"


def cells(new, stored):
    """The same of cells, as phe prints them."""
    by_metric = {cell["metric"]: cell for cell in stored}
    pairs = [(cell, by_metric[cell["metric"]]) for cell in new if cell["metric"] in by_metric]
    return verdict([(own["metric"], own.get("measured"), other["measured"], other.get("measured_sd"), own["seeds"], other["seeds"])
                    for own, other in pairs])


def verdict(scores):
    """Judge tuples of name, score, the processor's score, its deviation over seeds, and the numbers of seeds."""
    apart, compared = [], 0
    for key, own, other, sd, seeds, other_seeds in scores:
        if own is None or sd is None:
            continue
        compared += 1
        if not abs(own - other) <= 4 * sd * math.sqrt(1 / seeds + 1 / other_seeds):
            apart.append(f"{key} {own:.4f}, not {other:.4f} ± {sd:.4f}")
    if apart:
        return "differ: " + "; ".join(apart)
    return f"agree: {compared}" if compared else "none to compare"
