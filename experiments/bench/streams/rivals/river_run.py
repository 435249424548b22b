#!/usr/bin/env python3
"""Learn a stream by a model of river, and write the forecast of each row, made before the row was learned."""

import argparse
from itertools import combinations

from river import facto, linear_model, optim, preprocessing

import rows


def linear(numeric, rate):
    """linear is logistic or linear regression, with a weight for each item."""
    if numeric:
        return preprocessing.TargetStandardScaler(linear_model.LinearRegression(optimizer=optim.AdaGrad(rate), intercept_lr=0.01))
    return linear_model.LogisticRegression(optimizer=optim.AdaGrad(rate), intercept_lr=0.01)


def factors(numeric, rate):
    """factors is a factorization machine with eight latent numbers for each item."""
    settings = {"n_factors": 8, "weight_optimizer": optim.AdaGrad(rate), "latent_optimizer": optim.AdaGrad(rate), "seed": 1}
    return preprocessing.TargetStandardScaler(facto.FMRegressor(**settings)) if numeric else facto.FMClassifier(**settings)


def items(names):
    """items returns a function from a row's fields to {item: 1}."""
    used = [(i, name + "=") for i, name in enumerate(names) if name[:2] != "n:"]
    return lambda fields: {name + fields[i]: 1 for i, name in used if fields[i]}


BUCKETS = 1 << 20  # of pairs: one weight for each would take gigabytes


def with_pairs(names):
    """with_pairs adds the pairs of items of two columns, which are hashed."""
    used = [(i, name[2:], name + "=") for i, name in enumerate(names) if name[:2] != "n:"]
    pairs = [(a, b) for a, b in combinations(range(len(used)), 2) if used[a][1] != used[b][1]]

    def features(fields):
        own = [name + fields[i] if fields[i] else None for i, _, name in used]
        x = {item: 1 for item in own if item}
        for a, b in pairs:
            if own[a] and own[b]:
                x[hash((own[a], own[b])) % BUCKETS] = 1
        return x

    return features


def words(names):
    """words returns a function from a row's fields to {input: item}."""
    used = [(i, name) for i, name in enumerate(names) if name[:2] != "n:"]
    return lambda fields: {name: fields[i] for i, name in used if fields[i]}


MODELS = {"linear": (items, linear), "pairs": (with_pairs, linear), "factors": (words, factors)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=MODELS, required=True)
    parser.add_argument("--rate", type=float, default=0.1, help="of AdaGrad")
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--numeric", action="store_true", help="the target is a number")
    parser.add_argument("--to", required=True)
    args = parser.parse_args()
    names = rows.header(args.inputs)
    features, model = MODELS[args.model]
    features, model = features(names), model(args.numeric, args.rate)
    with open(args.to, "w") as out:
        for y, fields in rows.rows(args.inputs):
            x = features(fields)
            if args.numeric:
                print(model.predict_one(x), file=out)
                model.learn_one(x, y)
            else:
                print(model.predict_proba_one(x).get(True, 0.5), file=out)
                model.learn_one(x, y == 1)


main()
