"""Writes numpy.json: what numpy's RandomState and the authors' online split give, for random_test.go and split_test.go.

Run in data/datatest/, with numpy (any version: the legacy generator is frozen):  python3 testdata/dump_numpy.py > testdata/numpy.json
"""
import csv, gzip, json, zlib
import numpy as np


def summary(p):
    p = np.asarray(p)
    return {"n": len(p), "head": p[:8].tolist(), "tail": p[-8:].tolist(), "crc32": zlib.crc32(p.astype("<i4").tobytes())}


def streams():
    for seed in 0, 1, 42, 1234, 2**32 - 1:
        r = np.random.RandomState(seed)
        yield {"seed": seed, "permutations": [summary(r.permutation(n)) for n in (0, 1, 2, 7, 16, 17, 128, 1000, 65537, 3)]}


def adult():
    rows = list(csv.reader(gzip.open("uci/adult.csv.gz", "rt")))
    education = [r[3] for r in rows[1:] if "?" not in r]
    r, n = np.random.RandomState(1234), len(education)
    r.permutation(list(dict.fromkeys(education)))
    order = r.permutation(n)
    blocks = [order[: int(0.3 * n)]] + [order[i : i + 100] for i in range(int(0.3 * n), n, 100)]
    blocks = [r.permutation(b) for b in blocks]
    cut = [int(0.8 * len(b)) for b in blocks]
    return {
        "chunks": len(blocks) - 1,
        "initial_scored": summary(blocks[0][: cut[0]]),
        "initial_held_out": summary(blocks[0][cut[0] :]),
        "chunks_scored": summary(np.concatenate([b[:c] for b, c in zip(blocks, cut)][1:])),
        "chunks_held_out": summary(np.concatenate([b[c:] for b, c in zip(blocks, cut)][1:])),
    }


print(json.dumps({"command": "python3 testdata/dump_numpy.py > testdata/numpy.json", "numpy": np.__version__,
                  "streams": list(streams()), "adult": adult()}).replace('{"', '\n{"').strip())
