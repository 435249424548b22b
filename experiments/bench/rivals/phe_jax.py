#!/usr/bin/env python3
"""PHE in JAX, as one would write it for speed: one compiled program an epoch, seeds side by side by vmap. The schemes are gophe's (package phe)."""

import math
import os
import sys

from workload import Clock, Workload, arguments, refuse, report

ARGS = arguments()
os.environ.setdefault("JAX_PLATFORMS", "cpu" if ARGS.device == "cpu" else "cuda")
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else the peak of memory is what was set aside

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax, random
except ImportError as missing:
    print(f"JAX is not installed: {missing}", file=sys.stderr)
    sys.exit(3)

jax.config.update("jax_default_matmul_precision", "highest")  # float32 on a GPU too, as all programs of the comparison

tree_map = jax.tree_util.tree_map


def belief(table):
    """belief is the mean and σ of every entry."""
    return table["mean"], jnp.exp(table["log"]) + 1e-8


def divergence(q, p):
    """divergence is KL(q‖p) in nats, summed over all tables. Its gradient is exactly 0 where q is p."""
    total = 0.0
    for name in q:
        log_ratio = 2 * (q[name]["log"] - p[name]["log"])
        shift = ((q[name]["mean"] - p[name]["mean"]) / belief(p[name])[1]) ** 2
        total += 0.5 * (jnp.exp(log_ratio) + shift - 1 - log_ratio).sum()
    return total


def adam_step(parameters, gradients, moments, step, rate):
    first, second = moments
    first = tree_map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = tree_map(lambda m, g: 0.999 * m + 0.001 * g * g, second, gradients)
    t = step + 1.0
    c1, c2 = 1 - 0.9**t, 1 - 0.999**t
    move = lambda p, a, b: p - rate * (a / c1) / (jnp.sqrt(b / c2) + 1e-8)
    return tree_map(move, parameters, first, second), (first, second)


def zeros(parameters):
    return tree_map(jnp.zeros_like, parameters), tree_map(jnp.zeros_like, parameters)


def deviate(mean, variance, key, shape):
    return mean + jnp.sqrt(variance + 1e-16) * random.normal(key, shape)


def uniform(key, fan_ins_of_shapes):
    """uniform draws arrays as PyTorch's Linear and GRU do."""
    keys = random.split(key, len(fan_ins_of_shapes))
    return [random.uniform(k, shape, minval=-(fan_in**-0.5), maxval=fan_in**-0.5) for k, (shape, fan_in) in zip(keys, fan_ins_of_shapes)]


def drawn_embeddings(tables, buckets, weights, samples, scheme, key):
    """drawn_embeddings are [samples, …, dim] of items whose slots are […, hashes] and […]: drawn slot by slot, or by scheme local given W, which has
    the same law."""
    k1, k2 = random.split(key)
    (e, e_std), (w, w_std) = belief(tables["E"]), belief(tables["W"])
    w = w[weights] + w_std[weights] * random.normal(k2, (samples, *weights.shape, w.shape[1]))
    e, e_std = e[buckets], e_std[buckets]
    if scheme == "rows":
        return jnp.einsum("s...k,s...kd->s...d", w, e + e_std * random.normal(k1, (samples, *e.shape)))
    mean, variance = jnp.einsum("s...k,...kd->s...d", w, e), jnp.einsum("s...k,...kd->s...d", w * w, e_std**2)
    return deviate(mean, variance, k1, mean.shape)


class Classifier:
    """Classifier is a linear layer of one logit over embeddings and numbers (package phe/models/tabular)."""

    scores = ("accuracy", "log_likelihood")

    def __init__(self, work):
        meta, arrays = work.meta, work.arrays
        if meta["classes"] != 2:
            refuse("this program knows two classes only")
        self.scheme, self.config, self.encoder = work.scheme, work.config, work.encoder
        self.columns, self.numbers, self.incremental = meta["columns"], meta["numbers"], meta["incremental"]
        self.buckets, self.weights, self.column = arrays["buckets"], arrays["weights"], arrays["column"]
        self.data = {name: arrays[name] for name in ("index", "values", "labels")}

    def theta(self, key):
        """theta draws the head as PyTorch's Linear does."""
        shapes = [(self.columns, self.encoder["embedding_dim"]), (self.numbers,), ()]
        limit = (self.columns * self.encoder["embedding_dim"] + self.numbers) ** -0.5
        return [random.uniform(k, s, minval=-limit, maxval=limit) for k, s in zip(random.split(key, 3), shapes)]

    def logits(self, tables, theta, data, rows, samples, key, masked):
        head, numbers, bias = theta
        base = data["values"][rows] @ numbers + bias
        if self.scheme == "rows":
            return base + self.drawn(tables, head, data["index"][rows], samples, key, masked)
        mean, variance, w, w_variance = self.items(tables, head, masked)
        noise = (samples, len(rows))
        if self.scheme == "local":
            key, own = random.split(key)
            together = jnp.concatenate([w, jnp.sqrt(w_variance), mean, variance], 1)[data["index"][rows]]
            w, w_std, mean, variance = jnp.split(together, 4, -1)
            w = w + w_std * random.normal(own, (samples, *w.shape))
            return base + deviate((w * mean).sum((-1, -2)), (w * w * variance).sum((-1, -2)), key, noise)
        both = jnp.stack([(w * mean).sum(-1), ((w * w + w_variance) * variance + w_variance * mean * mean).sum(-1)], 1)
        both = both[data["index"][rows]].sum(1)
        return base + deviate(both[:, 0], both[:, 1], key, noise)

    def items(self, tables, head, masked):
        """items holds the moments of every item's and hash's part of the logit, each [items, hashes], given W, and W's moments."""
        at = (self.buckets, self.column[:, None])
        e, e_std = belief(tables["E"])
        w, w_std = belief(tables["W"])
        parts = (e @ head.T)[at], ((e_std**2) @ (head**2).T)[at], w[self.weights], w_std[self.weights] ** 2
        if not masked:
            return parts
        learns = (self.column == self.incremental)[:, None]
        return tuple(jnp.where(learns, x, lax.stop_gradient(x)) for x in parts)

    def drawn(self, tables, head, index, samples, key, masked):
        """drawn samples every row, column and hash anew."""
        k1, k2 = random.split(key)
        buckets, weights = jnp.asarray(self.buckets)[index], jnp.asarray(self.weights)[index]
        (e, e_std), (w, w_std) = belief(tables["E"]), belief(tables["W"])
        e = e[buckets] + e_std[buckets] * random.normal(k1, (samples, *buckets.shape, e.shape[1]))
        w = w[weights] + w_std[weights] * random.normal(k2, (samples, *weights.shape, w.shape[1]))
        logit = (jnp.einsum("snckd,cd->snck", e, head) * w).sum(-1)
        if masked:
            learns = jnp.arange(self.columns) == self.incremental
            logit = jnp.where(learns, logit, lax.stop_gradient(logit))
        return logit.sum(-1)

    def data_term(self, tables, theta, data, rows, key, masked):
        z = self.logits(tables, theta, data, rows, self.config["train_samples"], key, masked)
        log_p = jax.nn.log_sigmoid(jnp.where(data["labels"][rows] > 0, z, -z))
        if self.config["loss"] == "expected":
            return log_p.mean(0)
        return jax.nn.logsumexp(log_p, 0) - np.log(len(log_p))

    def judge(self, tables, theta, data, rows, key):
        z = self.logits(tables, theta, data, rows, self.config["test_samples"], key, False)
        log_p = jax.nn.logsumexp(jax.nn.log_sigmoid(jnp.where(data["labels"][rows] > 0, z, -z)), 0) - np.log(len(z))
        return log_p > np.log(0.5), log_p


class Recommender:
    """Recommender is neural collaborative filtering (package phe/models/ncf)."""

    scores = ("squared_error",)

    def __init__(self, work):
        self.scheme, self.config, self.encoder = work.scheme, work.config, work.encoder
        self.genres, self.hidden, self.std_dev = work.meta["genres"], work.meta["recommender"]["hidden"], work.meta["recommender"]["std_dev"]
        self.data = {name: work.arrays[name] for name in ("index", "genres", "ratings", "buckets", "weights")}

    def theta(self, key):
        dim, hidden = self.encoder["embedding_dim"], self.hidden
        first = 3 * dim + self.genres
        return uniform(key, [((2 * dim, hidden), first), ((dim, hidden), first), ((self.genres, hidden), first), ((hidden,), first), ((hidden,), hidden),
                             ((), hidden)])

    def means(self, tables, theta, data, rows, samples, key):
        """means are the predicted ratings, [samples, rows]."""
        pair, product, genres, bias, out, out_bias = theta
        index = data["index"][rows]
        e = drawn_embeddings(tables, data["buckets"][index], data["weights"][index], samples, self.scheme, key)
        hidden = e.reshape(*e.shape[:2], -1) @ pair + (e[:, :, 0] * e[:, :, 1]) @ product + bias
        multi_hot = (data["genres"][rows][:, None] >> jnp.arange(self.genres, dtype=jnp.uint32)) & 1
        return jnp.tanh(hidden + multi_hot.astype(jnp.float32) @ genres) @ out + out_bias

    def data_term(self, tables, theta, data, rows, key, _):
        means = self.means(tables, theta, data, rows, self.config["train_samples"], key)
        z = (means - data["ratings"][rows]) / self.std_dev
        return (-0.5 * z * z).mean(0) - np.log(self.std_dev) - 0.5 * np.log(2 * np.pi)

    def judge(self, tables, theta, data, rows, key):
        means = self.means(tables, theta, data, rows, self.config["test_samples"], key)
        return ((means.mean(0) - data["ratings"][rows]) ** 2,)


class Filter:
    """Filter is the deep Kalman filter of the authors' program (package phe/models/dkf)."""

    scores = ("absolute_error",)

    def __init__(self, work):
        published = {"prediction": "reconstruction", "likelihood": "poisson", "objective": "mean-elbo", "inputs": "raw", "transition": "without-gap"}
        self.filter = work.meta["filter"]
        if {name: self.filter[name] for name in published} != published:
            refuse("this program knows the published filter only")
        self.scheme, self.config, self.dim = work.scheme, work.config, work.encoder["embedding_dim"]
        self.columns, self.incremental = work.meta["columns"], work.meta["incremental"]
        self.maxima = np.array(work.meta["maxima"], np.float32)
        self.data = {name: work.arrays[name] for name in ("buckets", "weights", "index", "values", "counts", "minutes", "windows")}

    def theta(self, key):
        """theta are a GRU and the linear maps of posterior, transition and emission."""
        known, hidden, latent = self.columns * self.dim + 1, self.filter["hidden"], self.filter["latent"]
        unit = [((known + 2, 3 * hidden), hidden), ((hidden, 3 * hidden), hidden), ((3 * hidden,), hidden), ((3 * hidden,), hidden)]
        maps = (hidden, 2 * latent), (latent, 2 * latent), (known + latent, 1)
        return uniform(key, unit + [(shape, size[0]) for size in maps for shape in (size, size[1:])])

    def read(self, tables, data, rows, samples, key, masked):
        """read returns embeddings [samples, rows, length, columns·dim], and numbers, counts and gaps, [rows, length, 1]."""
        events = data["windows"][rows]
        index = data["index"][events]
        e = drawn_embeddings(tables, data["buckets"][index], data["weights"][index], samples, self.scheme, key)
        if masked:
            learns = (jnp.arange(self.columns) == self.incremental)[:, None]
            e = jnp.where(learns, e, lax.stop_gradient(e))
        weeks = jnp.clip(jnp.diff(data["minutes"][events]) / (60 * 24 * 7), 0, 3)
        gaps = jnp.pad(weeks, ((0, 0), (1, 0)))[..., None]
        return e.reshape(*e.shape[:-2], -1), data["values"][events] / self.maxima, data["counts"][events][..., None], gaps

    def infer(self, theta, e, numbers, counts, gaps, key):
        """infer returns the posterior's mean and log σ, and a sample of it: [samples, rows, length, latent]."""
        into, within, into_bias, within_bias, posterior, bias = theta[:6]
        known = jnp.concatenate([jnp.broadcast_to(x, (len(e), *x.shape[-3:])) for x in (e, numbers, counts, gaps)], -1) @ into + into_bias
        def unit(state, x):
            (reset, update, new), (own_reset, own_update, own) = jnp.split(x, 3, -1), jnp.split(state @ within + within_bias, 3, -1)
            update = jax.nn.sigmoid(update + own_update)
            state = (1 - update) * jnp.tanh(new + jax.nn.sigmoid(reset + own_reset) * own) + update * state
            return state, state
        start = jnp.zeros((*e.shape[:2], self.filter["hidden"]))
        states = jnp.moveaxis(lax.scan(unit, start, jnp.moveaxis(known, 2, 0))[1], 0, 2)
        mean, log = jnp.split(states @ posterior + bias, 2, -1)
        return mean, log, mean + jnp.exp(log) * random.normal(key, mean.shape)

    @staticmethod
    def rates(theta, e, z, numbers):
        """rates are the logarithms of the Poisson's, [samples, rows, events]."""
        return (jnp.concatenate([e, z, jnp.broadcast_to(numbers, (*e.shape[:-1], 1))], -1) @ theta[8] + theta[9])[..., 0]

    def data_term(self, tables, theta, data, rows, key, masked):
        k1, k2 = random.split(key)
        e, numbers, counts, gaps = self.read(tables, data, rows, self.config["train_samples"], k1, masked)
        mean, log, z = self.infer(theta, e, numbers, counts, gaps, k2)
        before, before_log = jnp.split(jnp.pad(z[:, :, :-1] @ theta[6] + theta[7], ((0, 0), (0, 0), (1, 0), (0, 0))), 2, -1)
        ratio = 2 * (log - before_log)
        kl = 0.5 * (jnp.exp(ratio) + ((mean - before) / jnp.exp(before_log)) ** 2 - 1 - ratio).sum((-1, -2))
        rate = self.rates(theta, e, z, numbers)
        return ((counts[..., 0] * rate - jnp.exp(rate)).sum(-1) - kl).mean(0) / counts.shape[1]

    def judge(self, tables, theta, data, rows, key):
        k1, k2 = random.split(key)
        e, numbers, counts, gaps = self.read(tables, data, rows, self.config["test_samples"], k1, False)
        _, _, z = self.infer(theta, e, numbers, counts, gaps, k2)
        rate = jnp.exp(self.rates(theta, e[:, :, -1:], z[:, :, -1:], numbers[:, -1:]))[..., 0]
        return (jnp.abs(rate.mean(0) - counts[:, -1, 0]),)


class Trainer:
    """Trainer compiles a task's programs, one for each shape of arguments, and runs them."""

    def __init__(self, work, task, clock):
        self.work, self.task, self.clock = work, task, clock
        self.config, self.compiled = work.config, {}
        self.data = jax.device_put(task.data)
        self.keys = random.split(random.key(0), work.seeds)
        over_seeds = jax.vmap(self.start)
        self.state = self.call("start", over_seeds, self.keys)

    def call(self, name, program, *args, donate=()):
        """call runs a program, which it compiles first where it has not seen the shapes."""
        shapes = (name, *(x.shape for x in jax.tree_util.tree_leaves(args)))
        if shapes not in self.compiled:
            jax.block_until_ready(args)  # calls return early: what still computes is no compilation
            part = self.clock.enter("compile_seconds")
            self.compiled[shapes] = jax.jit(program, donate_argnums=donate).lower(*args).compile()
            self.clock.enter(part)
        return self.compiled[shapes](*args)

    def lap(self, results, units):
        """lap ends a call with some units of work, if the calls are timed one by one."""
        if self.work.has_laps:
            jax.block_until_ready(results)
            self.clock.lap(units)

    def start(self, key):
        """start draws one seed's parameters."""
        encoder, (k1, k2, k3) = self.work.encoder, random.split(key, 3)
        spread = encoder.get("initial_mean_std_dev") or 1.0
        def table(k, *shape):
            return {"mean": spread * random.normal(k, shape), "log": jnp.full(shape, float(encoder["initial_log_std_dev"]))}
        tables = {"E": table(k1, encoder["num_buckets"], encoder["embedding_dim"]), "W": table(k2, encoder["num_weights"], encoder["num_hashes"])}
        return tables, self.task.theta(k3)

    def loss(self, tables, theta, prior, data, rows, mask, count, key, masked):
        terms = self.task.data_term(tables, theta, data, rows, key, masked)
        return self.config["kl_weight"] * divergence(tables, prior) - count * (terms * mask).sum() / mask.sum()

    def epoch(self, parameters, moments, data, order, masks, count, keys, first):
        """epoch takes an epoch's steps of the initial phase, all seeds side by side."""
        def one(parameters, moments, rows, mask, key, step):
            prior = tree_map(jnp.zeros_like, parameters[0])
            objective = lambda p: self.loss(*p, prior, data, rows, mask, count, random.fold_in(key, step), False)
            return adam_step(parameters, jax.grad(objective)(parameters), moments, step, self.config["learning_rate"])
        def body(i, state):
            return jax.vmap(one, (0, 0, 0, None, 0, None))(*state, order[i], masks[i], keys, first + i)
        return lax.fori_loop(0, len(order), body, (parameters, moments))

    def initial_phase(self):
        state, first = (self.state, zeros(self.state)), 0
        for order, masks in self.work.epochs():
            count = np.float32(len(self.work.initial))
            state = self.call("epoch", self.epoch, *state, self.data, order, masks, count, self.keys, np.int32(first), donate=(0, 1))
            first += len(order)
            self.lap(state, len(order))
        self.state = jax.block_until_ready(state[0])

    def update(self, tables, theta, data, order, masks, count, keys, steps):
        """update takes a chunk's steps: the posterior becomes the prior, and Adam starts anew. θ stays."""
        rate = self.config.get("update_learning_rate") or self.config["learning_rate"]
        masked = self.config["scope"] == "incremental-column"
        def one(tables, moments, prior, theta, rows, mask, key, step):
            objective = lambda q: self.loss(q, theta, prior, data, rows, mask, count, random.fold_in(key, step), masked)
            return adam_step(tables, jax.grad(objective)(tables), moments, step, rate)
        def body(i, state):
            return jax.vmap(one, (0, 0, 0, 0, 0, None, 0, None))(*state, tables, theta, order[i], masks[i], keys, i)
        return lax.fori_loop(0, steps, body, (tables, zeros(tables)))[0]

    def judge(self, tables, theta, data, rows, mask, keys):
        """judge averages the scores of a chunk, [scores, seeds]."""
        scores = jax.vmap(self.task.judge, (0, 0, None, None, 0))(tables, theta, data, rows, keys)
        return jnp.stack([(score * mask).sum(-1) / mask.sum() for score in scores])

    def chunk(self, tables, data, number, rows, room):
        """chunk predicts rows, scores them and learns from them: mean scores [scores, seeds], and the new tables."""
        keys = jax.vmap(random.fold_in, (0, None))(self.keys, 1_000_000 + number)
        padded, mask = np.resize(rows, room), (np.arange(room) < len(rows)).astype(np.float32)
        scores = self.call("judge", self.judge, tables, self.state[1], data, padded, mask, keys)
        epochs, size = self.work.meta["update_epochs"], min(self.work.batch, room)
        order, masks = self.work.minibatches(rows, size, epochs)
        steps, most = len(order), epochs * -(-room // size)
        order, masks = (np.pad(x, [(0, most - steps)] + [(0, 0)] * (x.ndim - 1)) for x in (order, masks))
        return scores, self.call("update", self.update, tables, self.state[1], data, order, masks, np.float32(len(rows)), keys, np.int32(steps))

    def stream(self):
        """stream returns the mean of each score over the chunks, by name: [seeds]."""
        scores, (tables, theta) = [], self.state
        most = max(map(len, self.work.chunks))
        for number, rows in enumerate(self.work.chunks):
            if not self.work.is_sparse:
                score, tables = self.chunk(tables, self.data, number, rows, most)
            else:  # the cost of a step then depends on the rows it touches, not on the size of the tables
                room = max(64, 4 ** math.ceil(math.log(len(rows), 4)))  # few sizes: each is compiled
                data, at = self.work.excerpt(rows, room)
                score, part = self.chunk(self.call("take", take, tables, at), data, number, np.arange(len(rows), dtype=np.int32), room)
                tables = self.call("put", put, tables, at, part, donate=0)
            scores.append(score)
            self.lap((score, tables), len(rows))
        self.state = jax.block_until_ready(tables), theta
        return dict(zip(self.task.scores, np.mean(jax.device_get(scores), 0)))


def take(tables, at):
    """take copies some rows of all tables."""
    return {name: tree_map(lambda t: t.at[:, at[name]].get(mode="clip"), table) for name, table in tables.items()}


def put(tables, at, part):
    """put writes rows back; those beyond the table are room that is not used."""
    return {name: tree_map(lambda t, p: t.at[:, at[name]].set(p, mode="drop"), table, part[name]) for name, table in tables.items()}


def main():
    clock, work = Clock(), Workload(ARGS)
    task = {"adult": Classifier, "dkf": Filter, "ncf": Recommender}[ARGS.task]
    if work.scheme == "moments" and ARGS.task != "adult":
        refuse(f"no {ARGS.task} by scheme moments in JAX; choose local or rows")
    clock.enter("compile_seconds")
    trainer = Trainer(work, task(work), clock)
    clock.enter("seconds")
    trainer.initial_phase()
    clock.enter("stream_seconds")
    scores = trainer.stream() if work.chunks else {}
    clock.enter(None)
    device = jax.devices()[0]
    memory = device.memory_stats()
    report(work, clock, "jax", jax.__version__, device.device_kind, scores, memory["peak_bytes_in_use"] / 1e6 if ARGS.device == "gpu" else None)


main()
