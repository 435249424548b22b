"""Measure the reference scores of check.py on XLA's processor backend: reference.py PHE. It adds the missing scores to
reference.jsonl; delete the file to measure all anew."""
import json
import os
import subprocess
import sys

import compare
from workloads import Full, Tiny, arguments

SEEDS = {"adult": 5, "dkf": 3, "ncf": 3}  # enough to see the spread between them
KEPT = ("framework", "backend", *compare.WORK, "seeds", "scores")  # no times: other programs may have run meanwhile


def main(phe):
    done = set()
    if os.path.exists(compare.REFERENCE):
        done = {json.loads(line)["asked"] for line in open(compare.REFERENCE)}
    for w in workloads():
        asked = " ".join(arguments(w))
        if asked in done:
            continue
        done.add(asked)
        output = subprocess.run([phe, "bench", "--backend", "xla:cpu", *arguments(w)], check=True, stdout=subprocess.PIPE, text=True).stdout
        with open(compare.REFERENCE, "a") as reference:
            measured = json.loads(output)
            reference.write(json.dumps({"asked": asked, **{key: measured[key] for key in KEPT}}) + "\n")
        print(asked, flush=True)


def workloads():
    """Every workload of every size, with the reference's seeds."""
    for size in (Tiny, Full):
        for w in size.adult() + size.ncf + size.dkf + size.whole + [size.retail]:
            yield {**w, "seeds": SEEDS[w["task"]]}


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))
