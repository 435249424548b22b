#!/usr/bin/env python3
"""Forecast a stream by LightGBM that is trained anew, on all the past, at every twentieth of the stream. The first twentieth is forecast by its own past's
base rate."""

import argparse
import math

import lightgbm
import numpy as np

import rows

PARTS = 20
ROUNDS = 100
PRIOR = 10  # rows that the mean of all counts as, in the mean of an item
SETTINGS = {"learning_rate": 0.05, "num_leaves": 31, "num_threads": 1, "verbosity": -1, "seed": 1, "deterministic": True, "force_row_wise": True}


def load(path):
    """load returns the matrix of inputs, the targets, and the columns that are categories. A category's items are numbered as they come."""
    names = rows.header(path)
    used = [i for i, name in enumerate(names) if name[:2] in ("c:", "n:")]
    words = [{} if names[i][:2] == "c:" else None for i in used]
    x, y = [], []
    for target, fields in rows.rows(path):
        y.append(target)
        x.append(np.array([cell(fields[i], known) for i, known in zip(used, words)], dtype=np.float32))
    return np.vstack(x), np.array(y), [k for k, known in enumerate(words) if known is not None]


def cell(field, words):
    if not field:
        return math.nan
    if words is None:
        return float(field)
    return words.setdefault(field, len(words))


def unknown_missing(x, past, categories):
    """unknown_missing returns x with the items that the past does not have made missing. Items are numbered as they come, so that those are the larger ones."""
    x = x.copy()
    for k in categories:
        highest = np.nanmax(past[:, k], initial=-1)
        x[x[:, k] > highest, k] = math.nan
    return x


def running_means(x, y, categories):
    """running_means returns two columns for each category: the mean of the targets of the item's earlier rows, and their number. They are of the rows
    before each row, as a service that counts along would have them."""
    columns = []
    overall = np.concatenate(([0.0], np.cumsum(y)[:-1])) / np.maximum(np.arange(len(y)), 1)
    for k in categories:
        total, count = {}, {}
        mean, number = np.empty(len(y), np.float32), np.empty(len(y), np.float32)
        for i, (item, target) in enumerate(zip(np.nan_to_num(x[:, k], nan=-1).tolist(), y.tolist())):
            t, n = total.get(item, 0.0), count.get(item, 0)
            mean[i], number[i] = (t + PRIOR * overall[i]) / (n + PRIOR), n
            total[item], count[item] = t + target, n + 1
        columns += [mean, number]
    return np.column_stack(columns)


def base_rate(y, numeric):
    """base_rate forecasts each target by those before it."""
    before, n = np.concatenate(([0], np.cumsum(y)[:-1])), np.arange(len(y))
    return before / np.maximum(n, 1) if numeric else (before + 1) / (n + 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--numeric", action="store_true", help="the target is a number")
    parser.add_argument("--to", required=True)
    parser.add_argument("--means", action="store_true", help="in place of categories, give it the running means of their items")
    args = parser.parse_args()
    x, y, categories = load(args.inputs)
    if args.means and categories:
        x, categories = np.column_stack([x, running_means(x, y, categories)]), []
    edges = [len(y) * part // PARTS for part in range(PARTS + 1)]
    forecasts = [base_rate(y[: edges[1]], args.numeric)]
    settings = SETTINGS | {"objective": "regression" if args.numeric else "binary"}
    for start, end in zip(edges[1:], edges[2:]):
        data = lightgbm.Dataset(x[:start], y[:start], categorical_feature=categories, params={"verbosity": -1})
        model = lightgbm.train(settings, data, ROUNDS)
        forecasts.append(model.predict(unknown_missing(x[start:end], x[:start], categories), num_threads=1))
    with open(args.to, "w") as out:
        out.writelines(f"{v:.9g}\n" for v in np.concatenate(forecasts))


main()
