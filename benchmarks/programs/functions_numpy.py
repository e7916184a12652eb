#!/usr/bin/env python3
"""Times NumPy's functions as functions_bench times Tessera's: ns an element, 2048 numbers of the same ranges.

usage: functions_numpy.py
"""

import time

import numpy

RANGES = {"log": (1e-3, 100), "log2": (1e-3, 100), "log10": (1e-3, 100), "log1p": (1e-3, 100), "power": (1e-3, 100),
          "arcsin": (-1, 1), "arccos": (-1, 1), "sin": (-100, 100), "cos": (-100, 100), "tan": (-100, 100),
          "tanh": (-5, 5)}
ONE = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
       "sinh", "cosh", "tanh", "cbrt"]
TWO = ["arctan2", "hypot", "power"]


def ns(function, *arguments):
    out = numpy.empty_like(arguments[0])
    best = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        for _ in range(100):
            function(*arguments, out=out)
        best = min(best, time.perf_counter() - start)
    return best / 100 / out.size * 1e9


random = numpy.random.default_rng(1)
print("NumPy", numpy.__version__)
for name in ONE + TWO:
    x = random.uniform(*RANGES.get(name, (-10, 10)), 2048)
    arguments = [x] if name in ONE else [x, random.uniform(-10, 10, 2048)]
    print(f"{name:8} {ns(getattr(numpy, name), *arguments):.2f}")
