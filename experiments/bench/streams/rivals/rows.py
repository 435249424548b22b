"""Reading the inputs that experiments/bench/streams writes: a column y, then inputs behind their kinds (c: item, v: number as an item, b: its bin, n: number)."""

import csv


def header(path):
    """header returns the names of the inputs."""
    with open(path, newline="") as file:
        return next(csv.reader(file))[1:]


def rows(path):
    """rows yields the target and the fields of each row. A missing field is ''."""
    with open(path, newline="") as file:
        lines = csv.reader(file)
        next(lines)
        for line in lines:
            yield float(line[0]), line[1:]
