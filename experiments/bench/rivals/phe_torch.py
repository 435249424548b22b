#!/usr/bin/env python3
"""PHE in PyTorch, eager or by torch.compile, as one would write it for speed: seeds side by side in one axis of all tensors, Adam fused.

Parameters are [seeds, …], rows of a batch [seeds, rows]. The schemes are gophe's (package phe).
"""

import math
import sys

from workload import Clock, Workload, arguments, refuse, report

try:
    import numpy as np
    import torch
    import torch.nn.functional as F
except ImportError as missing:
    print(f"PyTorch is not installed: {missing}", file=sys.stderr)
    sys.exit(3)

ARGS = arguments(lambda parser: parser.add_argument("--mode", choices=["eager", "compile", "graphs"], default="eager",
                                                    help="graphs: torch.compile with CUDA graphs"))
DEVICE = torch.device("cuda" if ARGS.device == "gpu" else "cpu")
torch.manual_seed(0)


def fetch(table, rows):
    """fetch reads rows [seeds, …] of each seed's own table, [seeds, rows, width]."""
    seeds, length, width = table.shape
    own = torch.arange(seeds, device=table.device).view(-1, *[1] * (rows.dim() - 1)) * length
    if table.is_cuda:  # whose gradient is the faster one there, and the slower one on a CPU
        return F.embedding(rows + own, table.reshape(-1, width))
    return table.reshape(-1, width)[rows + own]


def fetch_belief(tables, name, rows):
    """fetch_belief returns the means and the σ of some rows."""
    return fetch(tables[name + "_mean"], rows), fetch(tables[name + "_log"], rows).exp() + 1e-8


def divergence(q, p):
    """divergence is KL(q‖p) in nats, summed over all tables and seeds. Its gradient is exactly 0 where q is p."""
    total = 0.0
    for name in "EW":
        log_ratio = 2 * (q[name + "_log"] - p[name + "_log"])
        shift = ((q[name + "_mean"] - p[name + "_mean"]) / (p[name + "_log"].exp() + 1e-8)) ** 2
        total = total + 0.5 * (log_ratio.exp() + shift - 1 - log_ratio).sum()
    return total


def normal(*shape):
    return torch.randn(*shape, device=DEVICE)


def deviate(mean, variance):
    return mean + (variance + 1e-16).sqrt() * torch.randn_like(mean)


def uniform(seeds, shape, fan_in):
    return torch.empty(seeds, *shape, device=DEVICE).uniform_(-(fan_in**-0.5), fan_in**-0.5)


def drawn_embeddings(tables, buckets, weights, samples, scheme):
    """drawn_embeddings are [samples, …, dim] of items whose slots are [seeds, …, hashes] and [seeds, …].

    They are drawn slot by slot, or by scheme local given W, which has the same law.
    """
    e, e_std = fetch_belief(tables, "E", buckets)
    w, w_std = fetch_belief(tables, "W", weights)
    w = w + w_std * normal(samples, *w.shape)
    if scheme == "rows":
        return weighted(w, e + e_std * normal(samples, *e.shape))
    return deviate(weighted(w, e), weighted(w * w, e_std * e_std))


def weighted(w, e):
    """weighted sums e [(samples,) …, hashes, dim] over the hashes by w [samples, …, hashes], in the form that is the fastest in eager mode."""
    if len(w) == 1:
        return (w.unsqueeze(-1) * e).sum(-2)
    return sum(w[..., k : k + 1] * e[..., k, :] for k in range(w.shape[-1]))


class Classifier:
    """Classifier is a linear layer of one logit over embeddings and numbers (package phe/models/tabular)."""

    scores = ("accuracy", "log_likelihood")

    def __init__(self, work):
        if work.meta["classes"] != 2:
            refuse("this program knows two classes only")
        self.scheme, self.config, self.dim = work.scheme, work.config, work.encoder["embedding_dim"]
        self.columns, self.numbers, self.incremental = work.meta["columns"], work.meta["numbers"], work.meta["incremental"]
        self.data = {name: work.arrays[name] for name in ("buckets", "weights", "column", "index", "values", "labels")}

    def theta(self, seeds):
        fan_in = self.columns * self.dim + self.numbers
        return [uniform(seeds, shape, fan_in) for shape in ((self.columns, self.dim), (self.numbers, 1), (1,))]

    def logits(self, tables, theta, data, rows, samples, masked):
        head, numbers, bias = theta
        base = torch.baddbmm(bias.unsqueeze(1), data["values"][rows], numbers).squeeze(-1)
        index = data["index"][rows]  # [seeds, rows, columns]
        if self.scheme == "rows":
            return base + self.drawn(tables, head, data, index, samples, masked)
        mean, variance, w, w_variance = self.items(tables, head, data, masked)
        if self.scheme == "local":
            w, w_std, mean, variance = fetch(torch.cat([w, w_variance.sqrt(), mean, variance], -1), index).chunk(4, -1)
            w = w + w_std * normal(samples, *w.shape)
            return base + deviate((w * mean).sum((-1, -2)), (w * w * variance).sum((-1, -2)))
        both = torch.stack([(w * mean).sum(-1), ((w * w + w_variance) * variance + w_variance * mean * mean).sum(-1)], -1)
        mean, variance = fetch(both, index).sum(2).unbind(-1)
        return base + mean + (variance + 1e-16).sqrt() * normal(samples, *mean.shape)

    def items(self, tables, head, data, masked):
        """items holds the moments of every item's and hash's part of the logit, each [seeds, items, hashes], given W, and W's moments."""
        seeds = head.shape[0]
        e_std, w_std = tables["E_log"].exp() + 1e-8, tables["W_log"].exp() + 1e-8
        at = (data["buckets"] * self.columns + data["column"].unsqueeze(-1)).flatten()
        project = lambda table, weights: torch.bmm(table, weights.mT).flatten(1)[:, at].view(seeds, *data["buckets"].shape)
        weights = data["weights"]
        parts = project(tables["E_mean"], head), project(e_std**2, head**2), tables["W_mean"][:, weights], w_std[:, weights] ** 2
        if not masked:
            return parts
        learns = (data["column"] == self.incremental).unsqueeze(-1)
        return tuple(torch.where(learns, x, x.detach()) for x in parts)

    def drawn(self, tables, head, data, index, samples, masked):
        """drawn samples every row, column and hash anew."""
        e, e_std = fetch_belief(tables, "E", data["buckets"][index])
        w, w_std = fetch_belief(tables, "W", data["weights"][index])
        e = e + e_std * normal(samples, *e.shape)  # [samples, seeds, rows, columns, hashes, dim]
        projected = (e @ head.view(1, head.shape[0], 1, *head.shape[1:], 1)).squeeze(-1)
        logit = (projected * (w + w_std * normal(samples, *w.shape))).sum(-1)
        if masked:
            learns = torch.arange(self.columns, device=DEVICE) == self.incremental
            logit = torch.where(learns, logit, logit.detach())
        return logit.sum(-1)

    def data_term(self, tables, theta, data, rows, masked):
        z = self.logits(tables, theta, data, rows, self.config["train_samples"], masked)
        log_p = F.logsigmoid(torch.where(data["labels"][rows] > 0, z, -z))
        if self.config["loss"] == "expected":
            return log_p.mean(0)
        return log_p.logsumexp(0) - math.log(len(log_p))

    def judge(self, tables, theta, data, rows):
        z = self.logits(tables, theta, data, rows, self.config["test_samples"], False)
        log_p = F.logsigmoid(torch.where(data["labels"][rows] > 0, z, -z)).logsumexp(0) - math.log(len(z))
        return log_p > math.log(0.5), log_p


class Recommender:
    """Recommender is neural collaborative filtering (package phe/models/ncf)."""

    scores = ("squared_error",)

    def __init__(self, work):
        self.scheme, self.config, self.dim = work.scheme, work.config, work.encoder["embedding_dim"]
        self.genres, self.hidden, self.std_dev = work.meta["genres"], work.meta["recommender"]["hidden"], work.meta["recommender"]["std_dev"]
        self.data = {name: work.arrays[name] for name in ("index", "genres", "ratings", "buckets", "weights")}

    def theta(self, seeds):
        first, width = 3 * self.dim + self.genres, self.hidden
        shapes = [((2 * self.dim, width), first), ((self.dim, width), first), ((self.genres, width), first), ((width,), first), ((width, 1), width), ((1,), width)]
        return [uniform(seeds, shape, fan_in) for shape, fan_in in shapes]

    def means(self, tables, theta, data, rows, samples):
        """means are the predicted ratings, [samples, seeds, rows]."""
        pair, product, genres, bias, out, out_bias = theta
        index = data["index"][rows]  # [seeds, rows, 2]
        e = drawn_embeddings(tables, data["buckets"][index], data["weights"][index], samples, self.scheme)
        multi_hot = (data["genres"][rows].unsqueeze(-1) >> torch.arange(self.genres, device=DEVICE)) & 1
        known = torch.baddbmm(bias.unsqueeze(1), multi_hot.float(), genres)
        hidden = e.flatten(-2) @ pair + (e[..., 0, :] * e[..., 1, :]) @ product + known
        return (hidden.tanh() @ out).squeeze(-1) + out_bias

    def data_term(self, tables, theta, data, rows, _):
        z = (self.means(tables, theta, data, rows, self.config["train_samples"]) - data["ratings"][rows]) / self.std_dev
        return (-0.5 * z * z).mean(0) - math.log(self.std_dev) - 0.5 * math.log(2 * math.pi)

    def judge(self, tables, theta, data, rows):
        means = self.means(tables, theta, data, rows, self.config["test_samples"])
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
        self.maxima = torch.tensor(work.meta["maxima"], device=DEVICE)
        self.data = {name: work.arrays[name] for name in ("buckets", "weights", "index", "values", "counts", "minutes", "windows")}

    def theta(self, seeds):
        """theta are a GRU for each seed, whose kernel knows no axis of seeds, and the linear maps of all."""
        known, hidden, latent = self.columns * self.dim + 1, self.filter["hidden"], self.filter["latent"]
        self.units = [torch.nn.GRU(known + 2, hidden, batch_first=True).to(DEVICE) for _ in range(seeds)]
        maps = (hidden, 2 * latent), (latent, 2 * latent), (known + latent, 1)  # posterior, transition, emission
        linear = [uniform(seeds, shape, size[0]) for size in maps for shape in (size, (1, size[1]))]
        return linear + [weight for unit in self.units for weight in unit.parameters()]

    def read(self, tables, data, rows, samples, masked):
        """read returns embeddings [samples, seeds, rows, length, columns·dim], and numbers, counts and gaps, [seeds, rows, length, 1]."""
        events = data["windows"][rows]  # [seeds, rows, length]
        index = data["index"][events]
        e = drawn_embeddings(tables, data["buckets"][index], data["weights"][index], samples, self.scheme)
        if masked:
            learns = (torch.arange(self.columns, device=DEVICE) == self.incremental).unsqueeze(-1)
            e = torch.where(learns, e, e.detach())
        weeks = (data["minutes"][events].diff(dim=-1) / (60 * 24 * 7)).clamp(0, 3)
        return e.flatten(-2), data["values"][events] / self.maxima, data["counts"][events].unsqueeze(-1), F.pad(weeks, (1, 0)).unsqueeze(-1)

    def infer(self, theta, e, numbers, counts, gaps):
        """infer returns the posterior's mean and log σ, and a sample of it: [seeds, samples·rows, length, latent]."""
        samples, seeds = e.shape[:2]
        over_samples = lambda x: x.expand(samples, *x.shape)
        x = torch.cat([e] + [over_samples(x) for x in (numbers, counts, gaps)], -1).transpose(0, 1).flatten(1, 2)
        states = torch.stack([unit(own)[0] for unit, own in zip(self.units, x.unbind(0))])
        mean, log = self.affine(states, theta[0], theta[1]).chunk(2, -1)
        return mean, log, mean + log.exp() * torch.randn_like(mean)

    @staticmethod
    def affine(x, weights, bias):
        return torch.baddbmm(bias, x.flatten(1, -2), weights).view(*x.shape[:-1], -1)

    def rates(self, theta, e, z, numbers):
        """rates are the logarithms of the Poisson's, [seeds, samples·rows, events]."""
        samples = e.shape[0]
        e, numbers = (x.transpose(0, 1).flatten(1, 2) for x in (e, numbers.expand(samples, *numbers.shape)))
        return self.affine(torch.cat([e, z, numbers], -1), theta[4], theta[5]).squeeze(-1)

    def data_term(self, tables, theta, data, rows, masked):
        samples = self.config["train_samples"]
        e, numbers, counts, gaps = self.read(tables, data, rows, samples, masked)
        mean, log, z = self.infer(theta, e, numbers, counts, gaps)
        before, before_log = (F.pad(x, (0, 0, 1, 0)) for x in self.affine(z[:, :, :-1], theta[2], theta[3]).chunk(2, -1))
        ratio = 2 * (log - before_log)
        kl = 0.5 * (ratio.exp() + ((mean - before) / before_log.exp()) ** 2 - 1 - ratio).sum((-1, -2))
        rate = self.rates(theta, e, z, numbers)
        likelihood = (counts.squeeze(-1).repeat(1, samples, 1) * rate - rate.exp()).sum(-1)
        return (likelihood - kl).view(len(rows), samples, -1).mean(1) / gaps.shape[2]

    def judge(self, tables, theta, data, rows):
        e, numbers, counts, gaps = self.read(tables, data, rows, self.config["test_samples"], False)
        _, _, z = self.infer(theta, e, numbers, counts, gaps)
        rate = self.rates(theta, e[..., -1:, :], z[..., -1:, :], numbers[..., -1:, :]).exp()
        rate = rate.view(len(rows), self.config["test_samples"], -1).mean(1)
        return ((rate - counts[..., -1, 0]).abs(),)


class Trainer:
    """Trainer trains a task's parameters: tables by name, each [seeds, rows, width], and θ."""

    def __init__(self, work, task, clock):
        self.work, self.task, self.clock, self.config = work, task, clock, work.config
        self.data = {name: self.on_device(array) for name, array in task.data.items()}
        encoder, seeds = work.encoder, work.seeds
        self.tables = {}
        for name, *shape in ("E", encoder["num_buckets"], encoder["embedding_dim"]), ("W", encoder["num_weights"], encoder["num_hashes"]):
            self.tables[name + "_mean"] = (encoder.get("initial_mean_std_dev") or 1.0) * normal(seeds, *shape)
            self.tables[name + "_log"] = torch.full((seeds, *shape), float(encoder["initial_log_std_dev"]), device=DEVICE)
        self.theta = task.theta(seeds)
        self.warm = set()
        options = {} if ARGS.mode == "compile" else {"mode": "reduce-overhead"}
        self.objective, self.judge = (self.loss, self.mean_scores) if ARGS.mode == "eager" else (torch.compile(f, **options) for f in (self.loss, self.mean_scores))

    @staticmethod
    def on_device(array):
        if array.dtype == np.uint32:
            array = array.astype(np.int64)
        return torch.from_numpy(np.require(array, requirements=["C", "W"])).to(DEVICE, non_blocking=True)

    def enter(self, part):
        if DEVICE.type == "cuda":
            torch.cuda.synchronize()
        return self.clock.enter(part)

    def lap(self, units):
        """lap ends a call with some units of work, if the calls are timed one by one."""
        if self.work.has_laps:
            self.enter(self.clock.part)
            self.clock.lap(units)

    def loss(self, tables, theta, prior, data, rows, mask, count, masked):
        terms = self.task.data_term(tables, theta, data, rows, masked)
        return self.config["kl_weight"] * divergence(tables, prior) - count * ((terms * mask).sum() / mask.sum())

    def mean_scores(self, tables, theta, data, rows, mask):
        return torch.stack([(score * mask).sum(-1) / mask.sum() for score in self.task.judge(tables, theta, data, rows)])

    def steps(self, tables, optimiser, prior, data, order, masks, count, masked):
        """steps moves the optimiser's arrays, one step a batch."""
        count = torch.tensor(float(count), device=DEVICE)
        shapes = (masked, order.shape[1:], len(tables["E_mean"][0]))
        if shapes not in self.warm:  # torch.compile compiles at the first call
            part = self.enter("compile_seconds")
            self.objective(tables, self.theta, prior, data, order[0], masks[0], count, masked).backward()
            self.warm.add(shapes)
            self.enter(part)
        for rows, mask in zip(order, masks):
            optimiser.zero_grad()
            self.objective(tables, self.theta, prior, data, rows, mask, count, masked).backward()
            optimiser.step()

    def initial_phase(self):
        parameters = [p.requires_grad_() for p in (*self.tables.values(), *self.theta)]
        optimiser = torch.optim.Adam(parameters, self.config["learning_rate"], fused=True)
        prior = {name: torch.zeros_like(p) for name, p in self.tables.items()}
        for order, masks in self.work.epochs():
            order, masks = self.on_device(order), self.on_device(masks)
            self.steps(self.tables, optimiser, prior, self.data, order, masks, len(self.work.initial), False)
            self.lap(len(order))
        for p in parameters:
            p.grad = None
            p.requires_grad_(False)

    def chunk(self, tables, data, rows, room):
        """chunk predicts rows, scores them and learns from them: the posterior becomes the prior, and Adam starts anew. It returns mean scores, [scores, seeds]."""
        padded = self.on_device(np.broadcast_to(np.resize(rows, room), (self.work.seeds, room)))
        mask = self.on_device((np.arange(room) < len(rows)).astype(np.float32))
        shapes = ("judge", room, len(tables["E_mean"][0]))
        with torch.no_grad():
            if shapes not in self.warm:
                part = self.enter("compile_seconds")
                self.judge(tables, self.theta, data, padded, mask)
                self.warm.add(shapes)
                self.enter(part)
            scores = self.judge(tables, self.theta, data, padded, mask).clone()
        prior = {name: table.clone() for name, table in tables.items()}
        parameters = [table.requires_grad_() for table in tables.values()]
        optimiser = torch.optim.Adam(parameters, self.config.get("update_learning_rate") or self.config["learning_rate"], fused=True)
        order, masks = self.work.minibatches(rows, min(self.work.batch, room), self.work.meta["update_epochs"])
        masked = self.config["scope"] == "incremental-column"
        self.steps(tables, optimiser, prior, data, self.on_device(order), self.on_device(masks), len(rows), masked)
        for table in parameters:
            table.requires_grad_(False)
            table.grad = None
        return scores

    def stream(self):
        """stream returns the mean of each score over the chunks, by name: [seeds]."""
        scores, most = [], max(map(len, self.work.chunks))
        for rows in self.work.chunks:
            if not self.work.is_sparse:
                room = most if ARGS.task == "adult" and ARGS.mode != "eager" else len(rows)
                scores.append(self.chunk(self.tables, self.data, rows, room))
                self.lap(len(rows))
                continue
            data, at = self.work.excerpt(rows, len(rows))
            at = {name: self.on_device(x[x < self.tables[name + "_mean"].shape[1]]) for name, x in at.items()}
            part = {name: table[:, at[name[0]]] for name, table in self.tables.items()}
            data = {name: self.on_device(array) for name, array in data.items()}
            scores.append(self.chunk(part, data, np.arange(len(rows)), len(rows)))
            for name, table in self.tables.items():
                table[:, at[name[0]]] = part[name]
            self.lap(len(rows))
        return dict(zip(self.task.scores, torch.stack(scores).mean(0).cpu().numpy()))


def main():
    clock, work = Clock(), Workload(ARGS)
    if work.scheme == "moments" and ARGS.task != "adult":
        refuse("scheme moments is adult's; choose local or rows")
    task = {"adult": Classifier, "dkf": Filter, "ncf": Recommender}[ARGS.task](work)
    clock.enter("compile_seconds")
    trainer = Trainer(work, task, clock)
    torch.optim.Adam([torch.zeros(1, requires_grad=True, device=DEVICE)], fused=True)  # the first one imports for seconds
    trainer.enter("seconds")
    trainer.initial_phase()
    trainer.enter("stream_seconds")
    scores = trainer.stream() if work.chunks else {}
    trainer.enter(None)
    on_gpu = DEVICE.type == "cuda"
    device = torch.cuda.get_device_name() if on_gpu else "cpu"
    report(work, clock, f"torch-{ARGS.mode}", torch.__version__, device, scores, torch.cuda.max_memory_allocated() / 1e6 if on_gpu else None)


main()
