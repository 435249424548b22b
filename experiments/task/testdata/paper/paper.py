"""Preset Paper in numpy, written from docs/one-pass.md alone. The steps below are the steps of that page.

    python3 paper.py adult.json.gz

prints the probability of each class for each row, forecast before the row is learned.

Axes are named by the page's letters: c column, k hash, i place in a bucket, o and r logit.
"""

import gzip
import hashlib
import json
import sys

import numpy as np

PRIOR_VARIANCE = 1.0  # of each entry of E, W and theta
BLOCK_VARIANCE = 10.0  # of each number of beta
FLOOR = 1e-6


class Hashes:
    """The buckets of an item, and its row of W."""

    def __init__(self, buckets, hashes, weight_rows):
        r = np.random.RandomState(1234)
        self.buckets, self.weight_rows = buckets, weight_rows
        self.p = prime_above(int(r.randint(buckets, 2**31)))
        self.ab = [(int(r.randint(1, self.p)), int(r.randint(0, self.p))) for _ in range(hashes)]

    def __call__(self, item):
        x = int.from_bytes(hashlib.md5(item.encode()).digest(), "big") % 10**16
        return [wrap(a * x + b) % self.p % self.buckets for a, b in self.ab], x % self.weight_rows


def prime_above(n):
    n += 1
    while any(n % f == 0 for f in range(2, int(n**0.5) + 1)):
        n += 1
    return n


def wrap(n):
    """The last 64 bits of an integer, as a signed number."""
    return (n + 2**63) % 2**64 - 2**63


class Learner:
    def __init__(self, columns, numbers, classes, sizes, means):
        B, K, P, d = (sizes[name] for name in ("buckets", "hashes", "weight_rows", "dim"))
        C, F, O = columns, numbers, 1 if classes == 2 else classes
        self.E = np.array(means["E"]).reshape(B, d)
        self.W = np.array(means["W"]).reshape(P, K)
        self.theta = np.array(means["theta"]).reshape(C, O, d)
        self.vE, self.vW, self.vtheta = (np.full(m.shape, PRIOR_VARIANCE) for m in (self.E, self.W, self.theta))
        self.beta = np.zeros((F + 1, O))
        self.S = BLOCK_VARIANCE * np.eye((F + 1) * O).reshape(F + 1, O, F + 1, O)

    def read(self, h, w, x):
        """Steps 4 and 5: the logits' mean and covariance, and the gradients.

        h [c, k] has the buckets of each item, w [c] its row of W, and x the numbers with a 1 at the end.
        """
        C, O, _ = self.theta.shape
        places = np.arange(h.shape[1])
        E, W = self.E[h], self.W[w]
        e = np.einsum("ck,cki->ci", W, E)
        mu = np.einsum("coi,ci->o", self.theta, e) + x @ self.beta

        # Entries that several items share have one gradient, the sum. The last axis is the logit.
        gE = np.zeros(self.E.shape + (O,))
        gW = np.zeros(self.W.shape + (O,))
        np.add.at(gE, h, np.einsum("ck,coi->ckio", W, self.theta))
        np.add.at(gW, (w[:, None], places), np.einsum("coi,cki->cko", self.theta, E))
        gtheta = e[:, None, :]  # in its own logit

        H = np.einsum("arbo,b->aro", self.S, x)
        Q = np.einsum("bi,bio,bir->or", self.vE, gE, gE)
        Q += np.einsum("wk,wko,wkr->or", self.vW, gW, gW)
        Q += np.diag(np.sum(self.vtheta * gtheta**2, axis=(0, 2)))
        Q += np.einsum("a,aro->ro", x, H)
        Q += np.einsum("ck,cki,coi,cri->or", self.vW[w], self.vE[h], self.theta, self.theta)
        return mu, Q, (gE, gW, gtheta, H)

    def probabilities(self, mu, Q):
        """Step 10: the probability of each class, and kappa."""
        kappa = 1 / np.sqrt(1 + np.pi / 8 * np.diag(Q))
        eta = kappa * mu
        if len(eta) == 1:  # two classes: the logit of the first is 0
            eta = np.append(0, eta)
        p = np.exp(eta - eta.max())
        return p / p.sum(), kappa

    def pull(self, p, kappa, Q, y):
        """Step 7: the pull a and the stiffness M."""
        if len(kappa) == 1:
            return kappa * (y - p[1]), (kappa**2 * p[1] * p[0]).reshape(1, 1)
        one = np.eye(len(p))
        a = kappa * (one[y] - p)
        Lambda = np.outer(kappa, kappa) * (np.diag(p) - np.outer(p, p))
        M = np.linalg.solve(one + Lambda @ Q, Lambda)
        return a, (M + M.T) / 2  # symmetric but for rounding

    def step(self, h, w, x, y):
        """Forecasts a row, then learns it."""
        mu, Q, (gE, gW, gtheta, H) = self.read(h, w, x)
        p, kappa = self.probabilities(mu, Q)
        a, M = self.pull(p, kappa, Q, y)

        # Step 8. Entries that the row does not touch have gradient 0 and stay.
        move(self.E, self.vE, gE @ a, np.einsum("bio,or,bir->bi", gE, M, gE))
        move(self.W, self.vW, gW @ a, np.einsum("wko,or,wkr->wk", gW, M, gW))
        move(self.theta, self.vtheta, gtheta * a[:, None], gtheta**2 * np.diag(M)[:, None])

        # Step 9, without the Cholesky factor. It makes no difference but of rounding.
        self.beta += H @ a
        HM = H @ M
        self.S -= np.einsum("aro,bso->arbs", HM, H)
        return p


def move(mean, variance, ga, gMg):
    """Step 8, in place: ga is g'a of each entry and gMg is g'Mg."""
    mean += variance * ga
    variance *= np.maximum(1 - variance * gMg, FLOOR)


def main(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        data = json.load(f)
    sizes, columns = data["sizes"], data["columns"]
    hashes = Hashes(sizes["buckets"], sizes["hashes"], sizes["weight_rows"])
    learner = Learner(len(columns), len(data["numbers"]), data["classes"], sizes, data["means"])
    for items, values, y in zip(data["items"], data["values"], data["labels"]):
        h, w = zip(*(hashes(f"{column}_{value}") for column, value in zip(columns, items)))
        x = np.array(values) / np.array(data["maxima"])
        x = np.append(x.astype(np.float32).astype(np.float64), 1)
        print(*(f"{p:.11f}" for p in learner.step(np.array(h), np.array(w), x, y)))


if __name__ == "__main__":
    main(sys.argv[1])
