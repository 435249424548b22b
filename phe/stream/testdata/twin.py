"""A second implementation of what `phe stream` learns of two classes, from docs/stream-model.md and docs/one-pass.md.

    python3 twin.py SCHEMA.json ROWS.csv > FORECASTS

The schema is in the form of `phe stream --show-schema`. Each row has one line with the probability of the second class, forecast before the
row is learned. It is written for reading, and leaves out times, several items in a cell, weights and missing targets.
"""

import csv
import json
import math
import struct
import sys

import numpy as np

SEED, MEMORY = 1, 256 << 10
P61 = (1 << 61) - 1
M64 = (1 << 64) - 1


# --- Keys: xxHash64 modulo 2⁶¹ − 1, universal hashing, and Go's generator of its constants ---

def xxhash(data):
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    turn = lambda x, r: (x << r | x >> 64 - r) & M64
    around = lambda acc, lane: turn((acc + lane * p2) & M64, 31) * p1 & M64
    size, at = len(data), 0
    if size >= 32:
        v = [(p1 + p2) & M64, p2, 0, -p1 & M64]
        while at + 32 <= size:
            v = [around(x, lane) for x, lane in zip(v, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(turn(x, r) for x, r in zip(v, (1, 7, 12, 18))) & M64
        for x in v:
            h = ((h ^ around(0, x)) * p1 + p4) & M64
    else:
        h = p5
    h = (h + size) & M64
    while at + 8 <= size:
        h = (turn(h ^ around(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & M64
        at += 8
    if at + 4 <= size:
        h = (turn(h ^ struct.unpack_from("<I", data, at)[0] * p1 & M64, 23) * p2 + p3) & M64
        at += 4
    for byte in data[at:]:
        h = turn(h ^ byte * p5 & M64, 11) * p1 & M64
    h = (h ^ h >> 33) * p2 & M64
    h = (h ^ h >> 29) * p3 & M64
    return h ^ h >> 32


def uvarint(n):
    out = b""
    while n >= 128:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def key(column, kind, value):
    name = column.encode()
    return xxhash(uvarint(len(name)) + name + kind + uvarint(len(value)) + value) % P61


def bin_key(column, number):
    return key(column, b"b", uvarint(number << 1 if number >= 0 else ~(number << 1)))


class PCG:
    """PCG-DXSM with 128 bits of state, as in Go's math/rand/v2."""

    def __init__(self, seed, purpose):
        self.state = seed << 64 | purpose

    def below(self, n):
        while True:
            self.state = (self.state * (2549297995355413924 << 64 | 4865540595714422341) + (6364136223846793005 << 64 | 1442695040888963407)) % (1 << 128)
            hi, lo = self.state >> 64, self.state & M64
            hi = (hi ^ hi >> 32) * 0xDA942042E4DD58B5 & M64
            hi = (hi ^ hi >> 48) * (lo | 1) & M64
            if hi >> 3 < n:
                return hi >> 3


def draw_linear(n, purpose):
    source = PCG(SEED, purpose)
    return [(1 + source.below(P61 - 1), source.below(P61)) for _ in range(n)]


FIRST, SECOND = draw_linear(2, 0x7061697273)
FUNCTIONS = draw_linear(2, 0x6275636B657473)


def sigmoid(t):
    return 1 / (1 + math.exp(-t))


def logit(p, least=1e-7):
    p = min(max(p, least), 1 - least)
    return math.log(p / (1 - p))


def pull_and_stiffness(mean, variance, y):
    p = sigmoid(mean)
    curvature = p * (1 - p)
    return (y - p) / (1 + variance * curvature), curvature / (1 + variance * curvature)


# --- Records: fields, their bins and tiles, and the pairs of fields ---

def bin_of(edges, x):
    return sum(e <= x for e in edges)


class Fields:
    def __init__(self, schema):
        self.label = [c["kind"] for c in schema["columns"]].index("target")
        self.fields = []  # (name, place in a record, column of the schema, whether the field is a bin)
        for place, c in enumerate(schema["columns"]):
            if c["kind"] in ("category", "both"):
                self.fields.append((c["name"], place, c, False))
            if c["kind"] in ("number", "both"):
                self.fields.append((c["name"] + (" (number)" if c["kind"] == "both" else ""), place, c, True))
        n = len(self.fields)
        every = n * (n - 1) // 2 <= 120
        paired = [i for i, (_, _, c, is_bin) in enumerate(self.fields) if every or c["kind"] != "both" or is_bin == (c.get("values", 0) > 128 or "constant" in c)]
        self.pairs = [(i, j) for at, j in enumerate(paired) for i in paired[:at]]

    def read(self, record):
        """Returns the fields' keys, the quantiles of numbers, and the keys that the census counts."""
        keys, quantiles, counted = [], [None] * len(self.fields), []
        for i, (name, place, c, is_bin) in enumerate(self.fields):
            text = record[place]
            if text == "":
                keys.append(key(name, b"?", b""))
            elif not is_bin:
                keys.append(key(name, b"v", text.encode()))
                counted.append(keys[-1])
            else:
                x = float(text)
                keys.append(bin_key(name, bin_of(c["edges"], x) if "edges" in c else int(math.copysign(math.floor(4 * math.log2(1 + abs(x))), x))))
                if "quantiles" in c:
                    quantiles[i] = bin_of(c["quantiles"], x)
        return keys, quantiles, counted

    def side(self, keys, quantiles, field, shift):
        """Returns the key with which a field takes part in a pair: its tile's, if it is a number."""
        if quantiles[field] is None:
            return keys[field]
        return bin_key(self.fields[field][0], (1 << 20) + (quantiles[field] + shift) // 4)


def mix(h):
    h &= M64
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & M64
    h = (h ^ h >> 27) * 0x94D049BB133111EB & M64
    return h ^ h >> 31


# --- A model: one hashed weight an item, a scale a column, and evidence ---

class Model:
    def __init__(self, fields, pairs, memory, hashes, wider, tau, kept, evidence=True, latest=False):
        self.fields, self.pairs, self.hashes, self.tau = fields, list(enumerate(pairs)), hashes, tau
        n = len(fields.fields)
        columns = n + len(pairs)
        share = min(max((memory / (4 << 16)) ** 0.25 / 8, 1 / 8), 0.5) if evidence else 0
        self.slots, self.buckets = int(share * memory) // 8, int((1 - share) * memory) // 2
        self.prior, self.tempering = wider * 2 / (columns * hashes), 0.3 * hashes
        self.mean, self.variance = np.zeros(self.buckets), np.full(self.buckets, self.prior)
        self.scale, self.scale_variance = [1.0] * n + [0.5] * len(pairs), [0.1] * columns
        self.check, self.n, self.p = [0] * self.slots, [0] * self.slots, np.zeros(self.slots, np.uint32)
        self.base, self.base_rows = 0.5, 1
        trust = lambda: [[[min(0.1, 1 / columns), 0.005] for _ in range(10)] for _ in range(columns)]
        self.trust, self.bias = [trust(), trust()], [[0.0, 0.05], [0.0, 0.05]]  # of the whole model, and of the evidence alone
        # Of the label of an item's latest row: of the whole model, and of the evidence alone; by column, and by whether it is the row before
        self.first = [0.005 / columns, 0.09 / columns]
        self.latest = [[[[0.0, v], [0.0, v]] for _ in range(columns)] for v in self.first] if latest else []
        self.stamp = [0] * self.slots
        self.rows, self.gain, self.kept, self.all = 0, [0.0] * columns, kept, len(pairs)

    def left(self, n):
        return max(self.kept, n - max(1, int(0.06 * n)))

    def last_choice(self):
        rows, n = 250, self.all
        if n <= self.kept:
            return 0
        while n > self.kept:
            rows, n = rows + 250, self.left(n)
        return rows

    def cells(self, keys, quantiles):
        """Returns the column and the key of each item and each pair."""
        n = len(keys)
        cells = [(i, (FIRST[0] * k + FIRST[1]) % P61) for i, k in enumerate(keys)]
        for at, (i, j) in self.pairs:
            x = self.fields.side(keys, quantiles, i, 5 * j % 4)
            y = self.fields.side(keys, quantiles, j, (3 * i + 1) % 4)
            cells.append((n + at, (FIRST[0] * x + FIRST[1] + SECOND[0] * y) % P61))
        return cells

    def forecast(self, keys, quantiles):
        """Returns the probabilities of the second class and the spreads: of the whole model, and of the evidence alone."""
        self.row = self.cells(keys, quantiles)
        mean, variance = 0.0, 0.0
        self.of_slot, self.of_scale = {}, {}
        for column, k in self.row:
            scale = self.scale[column]
            for a, b in FUNCTIONS[:self.hashes]:
                value = (a * k + b) % P61
                slot, sign = value % self.buckets, -1 if value >> 60 else 1
                mean += scale * sign * float(self.mean[slot])
                variance += self.scale_variance[column] * float(self.variance[slot])
                self.of_slot[slot] = self.of_slot.get(slot, 0) + scale * sign
                self.of_scale[column] = self.of_scale.get(column, 0) + sign * float(self.mean[slot])
        variance += sum(g * g * float(self.variance[slot]) for slot, g in self.of_slot.items())
        variance += sum(g * g * self.scale_variance[column] for column, g in self.of_scale.items())

        link = logit(self.base, 1e-4)
        if not self.slots:
            self.sums, self.evidence = [[mean, variance]], []
            return [sigmoid(mean)]
        self.sums = [[mean + link + self.bias[0][0], variance + self.bias[0][1]], [link + self.bias[1][0], self.bias[1][1]]]
        self.evidence = []
        for column, k in self.row:
            slot, n = k % self.slots, self.n[k % self.slots]
            if n == 0 or self.check[slot] != k >> 45 & 0xFFFF:
                continue
            x = logit((n * self.mean_label(slot) + 0.5 * self.base) / (n + 0.5), 1e-4) - link
            z = logit((int(self.p[slot] & 1) + 0.5 * self.base) / 1.5, 1e-4) - link
            power, just = min(n.bit_length(), 9), int(self.stamp[slot] == (self.rows - 1) % 256)
            self.evidence.append((column, power, x, just, z - x))
            for sums, trust in zip(self.sums, self.latest):
                m, v = trust[column][just]
                sums[0] += m * (z - x)
                sums[1] += v * (z - x) ** 2
            for sums, trust in zip(self.sums, self.trust):
                m, v = trust[column][power]
                sums[0] += m * x
                sums[1] += v * x * x
        return [sigmoid(m) for m, _ in self.sums]

    def learn(self, y):
        p = sigmoid(self.sums[0][0])
        if self.rows < self.last_choice():
            for column, g in self.of_scale.items():
                z = self.scale[column] * g
                self.gain[column] += z * (y - p) + 0.5 * z * z * p * (1 - p)
        pulls = [pull_and_stiffness(m, v, y) for m, v in self.sums]
        pull, stiffness = pulls[0]
        for slot, g in self.of_slot.items():
            v = float(self.variance[slot])
            m = float(self.mean[slot]) + v * (g * pull)
            v = v * max(0.2, 1 - self.tempering * v * (g * g * stiffness)) + self.tau * self.prior
            self.mean[slot], self.variance[slot] = self.rounded(m, min(v, self.prior), slot)
        for column, g in self.of_scale.items():
            v = self.scale_variance[column]
            self.scale[column] = min(max(self.scale[column] + v * (g * pull), 0.05), 20)
            self.scale_variance[column] = v * max(0.2, 1 - self.tempering * v * (g * g * stiffness))
        for (pull, stiffness), trust, bias in zip(pulls, self.trust, self.bias):
            for belief, x in [(bias, 1.0)] + [(trust[column][power], x) for column, power, x, _, _ in self.evidence if x]:
                m, v = belief
                belief[:] = m + v * (x * pull), v * max(0.2, 1 - v * (x * x * stiffness))
        for (pull, stiffness), trust in zip(pulls, self.latest):
            for column, _, _, just, x in self.evidence:
                m, v = trust[column][just]
                trust[column][just] = [m + v * (x * pull), v * max(0.2, 1 - v * (x * x * stiffness))]
        if self.slots:
            self.count(y)
        self.rows += 1
        if 500 <= self.rows <= self.last_choice() and self.rows % 250 == 0:
            n = len(self.fields.fields)
            best = sorted(self.pairs, key=lambda pair: -self.gain[n + pair[0]])
            self.pairs = sorted(best[:self.left(len(best))])

    def rounded(self, mean, variance, slot, purpose=0):
        """Returns a belief that two bytes hold: one of those beside it, drawn so that the mean of many is the belief."""
        draw = mix(mix(self.rows ^ purpose << 60) + slot * 0x9E3779B97F4A7C15)
        unit, share = 8 * math.sqrt(self.prior) / 511, variance / self.prior
        a = int(min(max(mean / unit + 512 + ((draw >> 40) + 0.5) / 2**24, 1), 1023))
        b = max(0, math.ceil(-3 * math.log2(share)))
        b -= (draw % 2**24 + 0.5) / 2**24 < (share * 2 ** (b / 3) - 1) / (2 ** (1 / 3) - 1)
        return (a - 512) * unit, self.prior * 2 ** (-min(max(b, 0), 63) / 3)

    def word(self, mean, y):
        """Returns a mean label as a float32, whose last bit is the latest label."""
        bits = int(mean.view(np.uint32))
        return bits + 1 & ~1 | y if self.latest else bits

    def mean_label(self, slot):
        word = self.p[slot] & np.uint32(0xFFFFFFFE) if self.latest else self.p[slot]
        return float(word.view(np.float32))

    def count(self, y):
        """Adds the row to the evidence. A slot of another item ages until it gives way."""
        self.base_rows = min(self.base_rows + 1, 5000)
        for _, k in self.row:
            slot, check = k % self.slots, k >> 45 & 0xFFFF
            if self.n[slot] > 0 and self.check[slot] == check:
                self.n[slot] = min(self.n[slot] + 1, 255)
            elif self.n[slot] > 1:
                self.n[slot] -= 1
                continue
            else:
                self.check[slot], self.n[slot] = check, 1
            p = self.mean_label(slot)
            self.p[slot] = self.word(np.float32(p) + np.float32((y - p) / self.n[slot]), y)
            self.stamp[slot] = self.rows % 256
        self.base += (y - self.base) / self.base_rows

    def reset(self, share, keep, rows):
        """Makes the beliefs less sure: a share of the prior variance at least, of the means, and rows of evidence at most."""
        for slot in range(self.buckets):
            mean, variance = keep * self.mean[slot], max(self.variance[slot], share * self.prior)
            if mean != self.mean[slot] or variance != self.variance[slot]:
                self.mean[slot], self.variance[slot] = self.rounded(mean, variance, slot, purpose=2)
        self.n, self.base_rows = [min(n, rows) for n in self.n], min(self.base_rows, 50)
        for belief in self.bias:
            belief[1] = max(belief[1], 0.05)
        for belief in (b for trust in self.trust for column in trust for b in column):
            belief[1] = max(belief[1], 0.005)
        for trust, first in zip(self.latest, self.first):
            for belief in (b for column in trust for b in column):
                belief[1] = max(belief[1], first)


# --- How often items were seen: a count-min sketch with conservative update ---

class Census:
    def __init__(self):
        self.counts = np.zeros((4, 1 << 16), np.int64)

    def add(self, k):
        h = mix(k + 0x9E3779B97F4A7C15)
        places = [(row, h >> 16 * row & 0xFFFF) for row in range(4)]
        before = min(int(self.counts[at]) for at in places)
        for at in places:
            self.counts[at] = max(self.counts[at], before + 1)
        return before


# --- The last step: mixture, regression, what came last, and the curve ---

class LastStep:
    windows = (2, 16, 128)

    def __init__(self, experts):
        n = experts + 1 + 2 * len(self.windows)
        self.m, self.s = np.zeros(n), 0.02 * np.eye(n)
        self.m[experts] = 1
        self.labels, self.forecasts = [0.5] * 3, [0.5] * 3
        self.share = [[sigmoid(0.5 * (knot - 12)) for knot in range(25)] for _ in range(4)]
        self.knot_rows = [[0.0] * 25 for _ in range(4)]

    def forecast(self, experts, mixed, usual, tier):
        came = [logit(0.9 * p + 0.1 * usual) - logit(usual) for p in self.labels + self.forecasts]
        self.x = np.array([logit(p) for p in experts + [mixed]] + came)
        self.odds, self.tier = float(self.m @ self.x), tier
        t = min(max(self.odds, -6 * 0.9999), 6 * 0.9999) / 0.5 + 12
        self.knot, self.part = int(t), t - int(t)
        share = self.share[tier]
        came_true = (1 - self.part) * share[self.knot] + self.part * share[self.knot + 1]
        return sigmoid(0.5 * self.odds + 0.5 * logit(came_true))

    def learn(self, y):
        h = self.s @ self.x
        pull, stiffness = pull_and_stiffness(self.odds, max(float(h @ self.x), 0), y)
        self.m = self.m + pull * h
        self.s = self.s - stiffness * np.outer(h, h)
        np.fill_diagonal(self.s, np.minimum(0.02, np.diag(self.s) + 3e-5 * 0.02))
        p = sigmoid(self.odds)
        for i, window in enumerate(self.windows):
            self.labels[i] += (y - self.labels[i]) / window
            self.forecasts[i] += (p - self.forecasts[i]) / window
        for knot, u in (self.knot, 1 - self.part), (self.knot + 1, self.part):
            rows, share = self.knot_rows[self.tier], self.share[self.tier]
            rows[knot] += u
            share[knot] += min(1, u * max(1e-3, 1 / (rows[knot] + 20))) * (y - share[knot])

    def reset(self, *_):
        self.s = 0.02 * np.eye(len(self.m))


# --- Whether what was learned still holds: an e-detector on a reference that never forgets ---

class Regression:
    def __init__(self, mean, variance):
        self.m, self.s = np.array(mean, float), variance * np.eye(len(mean))

    def learn(self, x, y, p, variance):
        pull, stiffness = (y - p) / (1 + variance * p * (1 - p)), p * (1 - p) / (1 + variance * p * (1 - p))
        h = self.s @ x
        self.m, self.s = self.m + pull * h, self.s - stiffness * np.outer(h, h)


class Change:
    def __init__(self, experts):
        self.raised, self.due = 0.0, 0
        self.errors, self.blocks, self.z = [], 0, 0.0
        self.experts = experts
        self.restart(500, 1000)

    def restart(self, since, rows):
        self.reference = Regression([1 / self.experts] * self.experts + [0], 0.02)
        self.bet = Regression([1, 0], 0.25)
        self.sums, self.means, self.level, self.rows, self.read = [0.0] * 6, [1.0] * 6, 0.0, 0, 0
        self.since, self.start = since, since + rows

    def add(self, experts, usual, main, y, rows):
        """Takes the forecasts of a row and the class that came, after a number of rows."""
        if rows < self.since:
            return
        x = np.array([logit(p) for p in experts] + [1.0])
        variance, o = float(x @ self.reference.s @ x), min(max(float(self.reference.m @ x), -15), 15)
        p, z = sigmoid(o), np.array([o, 1.0])
        spread = float(z @ self.bet.s @ z)
        b = sigmoid(float(self.bet.m @ z) / math.sqrt(1 + math.pi * spread / 8))
        came = lambda q: min(max(q if y else 1 - q, 1e-6), 1 - 1e-6)
        ratios = [came(q) / came(p) for q in (main, b, 0.7 * p + 0.15, 0.9 * usual + 0.1 * p, sigmoid(o + 1), sigmoid(o - 1))]
        together = math.pi / 2 * self.z * self.z if self.blocks >= 4 else 1.0
        if together > 1.5:
            ratios = [ratio ** (1 / together) for ratio in ratios]
        self.bet.learn(z, y, b, spread)
        sure, rate = self.level <= 5 and not self.read, max(1e-4, 1 / (self.rows / 2 + 20)) / 2
        if sure:
            self.bet.m += 0.01 * (np.array([1, 0]) - self.bet.m)
            self.bet.s += 0.01 * (0.25 * np.eye(2) - self.bet.s)
            self.reference.learn(x, y, p, variance)
            self.errors.append(y - p)
        if len(self.errors) == 32:
            self.blocks = min(self.blocks + 1, 200)
            self.z += (abs(sum(self.errors)) / math.sqrt(sum(e * e for e in self.errors)) - self.z) / self.blocks
            self.errors = []
        self.rows, self.raised = self.rows + 1, self.raised * (1 - 5e-5)
        for i, ratio in enumerate(ratios):
            if rows + 1 >= self.start:
                self.sums[i] = (self.sums[i] + 1) * ratio / max(1, self.means[i]) / 1.01
            if sure:
                self.means[i] += rate * (min(ratio, 20) - self.means[i])
        if rows + 1 < self.start:
            return
        self.level = math.log(sum(self.sums) / 6)
        if self.read and rows + 1 >= self.read:
            self.choose(rows + 1, together > 1.5)
        elif not self.read and self.level >= 13.8 + self.raised:
            self.read = rows + 1 + 64
        elif sure and self.level > 5:
            self.bet.s = 0.25 * np.eye(2)

    def choose(self, row, grouped):
        slope, lead, sd = float(self.bet.m[0]), int(np.argmax(self.sums)), math.sqrt(self.bet.s[0, 0])
        items = lead == 3 or lead < 2 and slope + 2 * sd < 0.65
        kind = "items" if items else "noise" if lead == 2 else "base rate"
        since = row
        if self.raised < 7 and kind == "items" and slope < 0.75 and not grouped:
            self.due = since = row + 64
            self.remedy = (1.0, max(0, slope), 0) if slope < 0.65 else (0.2, 1.0, 4)
        self.raised += 14
        self.restart(since, 500)


def learn(schema, records):
    """Yields the forecast of each record."""
    fields = Fields(schema)
    plain, quickly = MEMORY // 4, 8192
    most = MEMORY - plain - quickly
    tau = min(max(1e-3 * 3 ** (-math.log2(most / (4 << 16)) / 4), 3e-4), 3e-3)
    pairs = Model(fields, fields.pairs, most, hashes=1, wider=4, tau=max(tau, 1e-3) / 4, kept=240, latest=True)
    quick = Model(fields, [], quickly, hashes=1, wider=1, tau=1e-2, kept=240, evidence=False)
    alone = Model(fields, [], plain, hashes=2, wider=4, tau=1e-5, kept=240)
    weights, classes = [0.2] * 5, [1.0, 1.0]
    census, last, change = Census(), LastStep(4), Change(3)
    for rows, record in enumerate(records):
        keys, quantiles, counted = fields.read(record)
        seen = min([census.add(k) for k in counted], default=math.inf)
        tier = 0 if seen == 0 else 1 if seen <= 2 else 2 if seen <= 10 else 3
        usual = classes[1] / sum(classes)
        whole, evidence = pairs.forecast(keys, quantiles)
        experts = [whole, alone.forecast(keys, quantiles)[0], quick.forecast(keys, quantiles)[0], evidence]
        mixed = sum(w * p for w, p in zip(weights, experts + [usual]))
        p = last.forecast(experts, mixed, usual, tier)
        yield p

        y = schema["target"]["classes"].index(record[fields.label])
        for model in pairs, alone, quick, last:
            model.learn(y)
        if rows + 1 == change.due:
            for model in pairs, alone, quick, last:
                model.reset(*change.remedy)
        change.add([whole, experts[1], evidence], usual, p, y, rows)
        odds = [w * (p if y else 1 - p) for w, p in zip(weights, experts + [usual])]
        odds = [max(v, 1e-5 * max(odds)) for v in odds]
        weights = [0.999 * v / sum(odds) + 0.001 / 5 for v in odds]
        classes[y] += 1


if __name__ == "__main__":
    with open(sys.argv[1]) as f, open(sys.argv[2], newline="") as rows:
        for p in learn(json.load(f), list(csv.reader(rows))[1:]):
            print(f"{p:.10f}")
