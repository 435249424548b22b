"""Gradient boosting on Online Retail's forecast, given the crosses of contexts that the pooled counts have.

usage: retail.py packsizes.py retail.csv.gz [--contexts small|full] [--trees 250] [--leaves 63] [--rate .05] [--months 17,21]

Needs lightgbm 4.6.0, numba 0.61.2, numpy 2.2.6, pandas 2.2.3. retail.csv.gz is Online Retail as package data describes it: unpack
data/uci/retail.csv.zst. packsizes.py, in this folder, is the prototype of the pooled counts. Its loader, windows and contexts are
used, so that both see the same items. Each item's statistics stand as at the end of the day before: the number of sales, the mean
and the last log2 quantity, and the median of its last nine. Trees are grown anew at each month's start on all earlier sales. The
target is log2(quantity) under the absolute error, so that the forecast is a median.

No log-likelihood comes of it. A multiclass model over the 95 cells (40 rounds, 31 leaves, rate .15, 60,000 sales) diverged in May
2011 at -11.9 nats, and was not pursued.
"""
import argparse, importlib.util, time
import lightgbm, numba as nb, numpy as np, pandas as pd

parser = argparse.ArgumentParser()
parser.add_argument("prototype"), parser.add_argument("retail")
parser.add_argument("--contexts", default="small")
parser.add_argument("--trees", type=int, default=250)
parser.add_argument("--leaves", type=int, default=63)
parser.add_argument("--rate", type=float, default=.05)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--months", help="only these, counted from 1 for January 2010: 17,21")
parser.add_argument("--save", help="file of the medians, .npz")
a = parser.parse_args()
spec = importlib.util.spec_from_file_location("packsizes", a.prototype)
proto = importlib.util.module_from_spec(spec)
spec.loader.exec_module(proto)
items, level, hs, LOWER, CELLS = proto.items, proto.level, proto.hs, proto.LOWER, proto.CELLS


@nb.njit
def crosses(q, cell, price, mins, pr, cu, na, co, pos, order, start, lower, chosen, logl):
    """the chosen contexts' item hashes [sales, contexts], with levels of earlier days"""
    NL = 1 << logl
    LV, LN, PL = np.zeros((4, NL)), np.zeros((4, NL)), np.zeros(NL, np.int32)
    H, I = np.zeros(40, np.uint64), np.zeros((len(q), 5), np.int64)
    out, levels = np.zeros((len(q), len(chosen)), np.uint64), np.zeros((len(q), 4), np.float32)
    tmp, lags, lagp = np.zeros(9), np.zeros(9), np.zeros(9)
    for d in range(len(start) - 1):
        for i in range(start[d], start[d + 1]):
            r = order[i]
            items(r, q, cell, price, mins, pr, cu, na, co, pos, lower, LV, LN, PL, H, I[r], 0, tmp, lags, lagp)
            for e in range(len(chosen)):
                out[r, e] = H[chosen[e]]
            levels[r, 0] = level(LV, LN, I[r])
            levels[r, 1] = LV[3, I[r, 3]] * LN[3, I[r, 3]] / (LN[3, I[r, 3]] + 2)
            levels[r, 2] = LV[0, I[r, 0]] if LN[0, I[r, 0]] > 0 else np.nan
            levels[r, 3] = PL[I[r, 4]] if na[r] == 0 else 0
        for i in range(start[d], start[d + 1]):
            r = order[i]
            ly = np.log2(q[r])
            dev = ly - level(LV, LN, I[r])
            for u in range(4):
                j = I[r, u]
                LN[u, j] = min(LN[u, j] + 1, 50.)
                LV[u, j] += ((dev if u == 3 else ly) - LV[u, j]) / LN[u, j]
            PL[I[r, 4]] = cell[r] + 1
    return out, levels


@nb.njit
def statistics(ids, count, lq, order, start):
    """of one context, as at the end of the day before: log2 of 1 + number, mean, last, median of the last nine"""
    n, mean = np.zeros(count), np.zeros(count)
    recent = np.zeros((count, 9), np.float32)
    out = np.full((len(ids), 4), np.nan, np.float32)
    for d in range(len(start) - 1):
        for i in range(start[d], start[d + 1]):
            r = order[i]
            j = ids[r]
            out[r, 0] = np.log2(1 + n[j])
            if n[j] > 0:
                k = min(int(n[j]), 9)
                out[r, 1], out[r, 2] = mean[j], recent[j, (int(n[j]) - 1) % 9]
                out[r, 3] = np.sort(recent[j, :k])[k // 2]
        for i in range(start[d], start[d + 1]):
            r = order[i]
            j = ids[r]
            recent[j, int(n[j]) % 9] = lq[r]
            n[j] += 1
            mean[j] += (lq[r] - mean[j]) / n[j]
    return out


@nb.njit
def window(q, price, mins, cu, na, pos):
    """of a sale's window: nine log2 quantities, their median and mean, gap, relative prices, quantity at the closest price, the customer's last"""
    out = np.full((len(q), 17), np.nan, np.float32)
    for r in range(len(q)):
        m = min(pos[r], 9)
        if m == 0:
            continue
        best = 1e18
        lags, prices = np.zeros(m), np.zeros(m)
        for j in range(m):
            o = r - 1 - j
            lags[j], prices[j] = np.log2(q[o]), price[o]
            out[r, j] = lags[j]
            d = abs(np.log((abs(price[o]) + .01) / (abs(price[r]) + .01)))
            if d < best - 1e-9:
                best, out[r, 9], out[r, 10] = d, lags[j], d
            if np.isnan(out[r, 11]) and cu[o] == cu[r] and (na[r] == 0 or mins[o] == mins[r]):
                out[r, 11] = lags[j]
        out[r, 12], out[r, 13] = np.sort(lags)[m // 2], lags.mean()
        out[r, 14] = np.log((abs(price[r]) + .01) / (np.sort(prices)[m // 2] + .01)) if np.sort(prices)[m // 2] > 0 else 0
        out[r, 15] = (price[r] >= prices.max() - 1e-9) * 2 + (price[r] <= prices.min() + 1e-9)
        out[r, 16] = np.log2(1. + mins[r] - mins[r - 1])
    return out


s = proto.load(a.retail)
n, na = len(s["q"]), s["na"].astype(np.int8)
chosen = np.array({"small": proto.SMALL["on"], "full": proto.FULL}[a.contexts])
began = time.time()
keys, levels = crosses(s["q"], s["cell"], s["price"], s["mins"], s["pr"], s["cu"], s["na"], s["co"], s["pos"], s["order"], s["start"], LOWER, chosen, 17)
lq = np.log2(s["q"]).astype(np.float32)
parts = [levels, window(s["q"], s["price"], s["mins"], s["cu"], na, s["pos"])]
for e in range(len(chosen)):
    ids, names = pd.factorize(keys[:, e])
    parts.append(statistics(ids, len(names), lq, s["order"], s["start"]))
hour, weekday = (s["mins"] // 60) % 24, s["mins"] // 1440 % 7
parts.append(np.stack([s["price"], hour, weekday, na, s["co"], s["pos"], s["mins"] // 1440], 1).astype(np.float32))
X = np.concatenate(parts, 1)
print(f"{X.shape[1]} features of {n} sales, {time.time() - began:.0f} s", flush=True)

day = s["mins"] // 1440
date = pd.Timestamp("2010-12-01") + pd.to_timedelta(day, unit="D")
month = np.asarray((date.year - 2010) * 12 + date.month)
scored, step, held, heldstep = s["scored"], s["step"], s["held"], s["heldstep"]
rows = np.concatenate([scored, held])


def by_day(values, at, keep):
    days = np.unique(at[keep])
    return np.array([values[keep][at[keep] == d].mean() for d in days])


forecast = np.full(n, np.nan)
began = time.time()
for now in [int(m) for m in a.months.split(",")] if a.months else np.unique(month[rows]):
    past, test = np.flatnonzero(month < now), rows[month[rows] == now]
    model = lightgbm.train(dict(objective="l1", num_leaves=a.leaves, learning_rate=a.rate, min_data_in_leaf=20, verbose=-1, num_threads=a.threads, seed=a.seed),
                           lightgbm.Dataset(X[past], lq[past]), a.trees)
    forecast[test] = model.predict(X[test])
    print(f"month {now}: {len(past)} sales, {time.time() - began:.0f} s", flush=True)
for name, test, at in (("held", held, heldstep), ("scored", scored, step)):
    whole, y = s["whole"][test] & ~np.isnan(forecast[test]), s["q"][test]
    for rounding, f in (("as it is", 2 ** forecast[test]), ("rounded", np.round(2 ** forecast[test]))):
        print(f"{a.trees} trees {a.leaves} leaves rate {a.rate} contexts {a.contexts} months {a.months or 'all'}, {name}, {rounding}: error {by_day(abs(f - y), at, whole).mean():.4f}, "
              f"{time.time() - began:.0f} s", flush=True)
if a.save:
    np.savez(a.save, forecast=forecast)
