#!/usr/bin/env python3
"""Learn a stream of two classes by river's adaptive random forest, and write the forecast of each row, made before the row was learned."""

import argparse

from river import forest

import rows

LEAST = 1e-3  # of a probability: a leaf of one class is not certain


def cells(names):
    """cells returns a function from a row's fields to {input: item or number}."""
    used = [(i, name, float if name[:2] == "n:" else str) for i, name in enumerate(names) if name[:2] in ("c:", "n:")]
    return lambda fields: {name: kind(fields[i]) for i, name, kind in used if fields[i]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--to", required=True)
    args = parser.parse_args()
    features = cells(rows.header(args.inputs))
    model = forest.ARFClassifier(seed=1)
    with open(args.to, "w") as out:
        for y, fields in rows.rows(args.inputs):
            x = features(fields)
            p = model.predict_proba_one(x).get(True, 0.0)
            print(min(max(p, LEAST), 1 - LEAST), file=out)
            model.learn_one(x, y == 1)


if __name__ == "__main__":
    main()
