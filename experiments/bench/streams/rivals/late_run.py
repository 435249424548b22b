#!/usr/bin/env python3
"""Run a script of river's models with late labels: late_run.py DELAY SCRIPT ARGUMENTS. A model learns a row when DELAY more rows have been forecast."""

import runpy
import sys
from collections import deque

from river import facto, forest, linear_model, preprocessing


def put_off(model, delay):
    """put_off makes models of a class learn late."""
    learn, waiting = model.learn_one, deque()

    def late(self, x, y):
        waiting.append((x, y))
        if len(waiting) > delay:
            learn(self, *waiting.popleft())

    model.learn_one = late


for outer in (linear_model.LogisticRegression, preprocessing.TargetStandardScaler, facto.FMClassifier, forest.ARFClassifier):
    put_off(outer, int(sys.argv[1]))
del sys.argv[:2]
runpy.run_path(sys.argv[0], run_name="__main__")
