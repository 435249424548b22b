"""Writes the vectors that Go is tested against: the prototype's forecasts of a small generated stream.

usage: export.py ../../bench/boosting/packsizes.py prototype.json && gzip -n9 prototype.json     (numba 0.61.2, numpy 2.2.6)

It fills testdata of two packages: packsize has all but the keys, and counttree has the keys of the first case in place of the sales.
The prototype is changed in two places. Levels are float32, as in Go. The items of each sale and its set of weights are kept.
"""
import json, sys
import numpy as np

source = open(sys.argv[1]).read().split('if __name__ == "__main__":')[0]
for old, new in (("LV, LN, PL = np.zeros((4, NL)), np", "LV, LN, PL = np.zeros((4, NL), np.float32), np"),
                 ("age, seed, out):", "age, seed, out, KEYS, SETS):"),
                 ("sel[i - a0_] = g_ if sets else 0", "sel[i - a0_] = g_ if sets else 0\n            KEYS[order[i]], SETS[order[i]] = H[i - a0_], sel[i - a0_]")):
    assert source.count(old) == 1, old
    source = source.replace(old, new)
proto = {}
exec(compile(source, "packsizes", "exec"), proto)
random = np.random.default_rng(7)
n = 600
pr = np.sort(random.choice(12, n, p=np.arange(12, 0, -1) / 78))
mins = np.concatenate([np.sort(random.integers(0, 24 * 1440, (pr == p).sum())) for p in range(12)])
cu = random.integers(0, 9, n)
na = cu == 0
price = np.round(random.choice([-2.5, 0, .42, .85, 1.25, 2.1, 2.55, 4.95, 1062.5], n) * random.choice([1, 1, .85], n), 2)
usual = np.array([1, 2, 3, 6, 12, 24, 48, 64, 100])
q = np.where(random.random(n) < .6, usual[cu], np.minimum(random.geometric(.1, n) ** 2, 70000))
q[random.integers(0, n, 6)] = [601, 650, 5000, 80995, 51, 240]
count = np.bincount(pr, minlength=12)
pos = np.arange(n) - np.concatenate([[0], np.cumsum(count)[:-1]])[pr]
co = random.integers(0, 3, n)
cell = np.searchsorted(proto["LOWER"], q, side="right") - 1
order = np.lexsort((np.arange(n), mins))
day = mins[order] // 1440
start = np.concatenate([[0], np.flatnonzero(np.diff(day)) + 1, [n]])
frequencies = np.bincount(cell[order[:200]], minlength=95) + .2
split, left, right = proto["tree"](frequencies)
cases = []
for name, contexts, logc, loga, logl, seed in (("small", proto["SMALL"]["on"], 8, 6, 5, 0), ("full", proto["FULL"], 14, 12, 8, 3)):
    on = np.isin(np.arange(40), contexts)
    out, keys, sets = np.zeros((n, 4)), np.zeros((n, 40), np.uint64), np.zeros(n, np.int64)
    learn = np.ones(n, np.int8)
    learn[::17] = 0
    proto["along"](q, cell, price, mins, pr, cu, na, co, pos, order, start, np.ones(n, np.int8), learn, proto["LOWER"], left, right, on, on,
                   logc, loga, logl, .5, 255., .25, .005, .005, .02, 0., 1., 50., 0, True, .02, seed, out, keys, sets)
    cases.append(dict(Name=name, Contexts=[int(e) for e in contexts], Slots=1 << logc, Weights=1 << loga, Levels=1 << logl, Seed=seed,
                      Learned=learn.tolist(), Sets=sets.tolist(), Keys=[[format(k, "x") for k in keys[i, list(contexts)]] for i in range(n)],
                      P=out[:, 0].tolist(), Below=out[:, 1].tolist(), Cell=out[:, 2].astype(int).tolist(), Within=out[:, 3].tolist()))
whole = dict(Product=pr.tolist(), Customer=cu.tolist(), Country=co.tolist(), Anonymous=na.tolist(), Price=price.tolist(), Minute=mins.tolist(),
             Quantity=q.tolist(), Order=order.tolist(), Start=start.tolist(), Splits=split.tolist(), Cases=cases)
items = {k: whole[k] for k in ("Quantity", "Order", "Start", "Splits")}
items.update({k: cases[0][k] for k in ("Slots", "Weights", "Learned", "Sets", "Keys", "P", "Below", "Cell")})
for case in cases:
    del case["Keys"]
for name, content in ((sys.argv[2], whole), (sys.argv[2].replace(".json", "-items.json"), items)):
    json.dump(content, open(name, "w"), separators=(",", ":"))
