#!/usr/bin/env python3
"""usage: plain_counts.py TRUTH KIND > COUNTS

Counts of the places of `tools/truth make` by the loop that everybody writes, for `tools/truth check TRUTH --counts COUNTS`.
KIND: f4, f8 or g (long double) with NumPy, or fma: doubles in C by the compiler's -O3 -march=native -ffp-contract=fast."""

import ctypes
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

LOOP = r"""
#include <math.h>
void counts(const double *re, const double *im, int points, int degree, int fold, int julia, double c_re, double c_im, long limit,
            long *counts) {
  for (int i = 0; i < points; ++i) {
    double x = julia ? re[i] : 0, y = julia ? im[i] : 0, a = julia ? c_re : re[i], b = julia ? c_im : im[i];
    long n = 0;
    for (; n < limit && x * x + y * y <= 4; ++n) {
      double u = fold == 1 ? fabs(x) : x, v = fold == 1 ? fabs(y) : fold == 2 ? -y : y;
      double p = u * u - v * v, q = 2 * u * v;
      if (degree == 3) { double r = p * u - q * v; q = p * v + q * u; p = r; }
      x = p + a;
      y = q + b;
    }
    counts[i] = n;
  }
}
"""


def formula_of(name):
    """Degree, fold (0 none, 1 absolute, 2 conjugate) and the c of a Julia set."""
    kind, _, value = name.partition(":")
    c = [float(part) for part in value.split(",")] if kind == "julia" else None
    return (int(value) if kind == "multibrot" else 2), {"burning-ship": 1, "tricorn": 2}.get(kind, 0), c


def points_of(place):
    columns, rows = place["size"]
    step = Fraction(place["width"]) / columns
    re, im = map(Fraction, place["center"])
    return ([float(re + (column + Fraction(1 - columns, 2)) * step) for _ in range(rows) for column in range(columns)],
            [float(im + (Fraction(rows - 1, 2) - row) * step) for row in range(rows) for _ in range(columns)])


def by_numpy(place, kind):
    degree, fold, constant = formula_of(place["formula"])
    re, im = (np.array(part).astype(kind) for part in points_of(place))
    a, b = (np.full(re.shape, part, kind) for part in constant) if constant else (re, im)
    x, y = (re.copy(), im.copy()) if constant else (np.zeros_like(re), np.zeros_like(im))
    counts = np.full(re.shape, place["iterations"], np.int64)
    alive = np.ones(re.shape, bool)
    with np.errstate(all="ignore"):
        for n in range(place["iterations"]):
            beyond = alive & ~(x * x + y * y <= 4)
            counts[beyond] = n
            alive &= ~beyond
            u, v = (abs(x), abs(y)) if fold == 1 else (x, -y if fold == 2 else y)
            p, q = u * u - v * v, 2 * u * v
            if degree == 3:
                p, q = p * u - q * v, p * v + q * u
            x, y = np.where(alive, p + a, x), np.where(alive, q + b, y)
    return counts.tolist()


def by_compiler(folder):
    source, library = os.path.join(folder, "loop.c"), os.path.join(folder, "loop.so")
    with open(source, "w", encoding="utf-8") as file:
        file.write(LOOP)
    subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC", "-o", library, source], check=True)
    loop = ctypes.CDLL(library).counts

    def counts_of(place, _):
        degree, fold, constant = formula_of(place["formula"])
        re, im = (np.array(part) for part in points_of(place))
        counts = np.zeros(len(re), np.int64)
        loop(re.ctypes.data_as(ctypes.c_void_p), im.ctypes.data_as(ctypes.c_void_p), len(re), degree, fold, constant is not None,
             ctypes.c_double(constant[0] if constant else 0), ctypes.c_double(constant[1] if constant else 0),
             ctypes.c_long(place["iterations"]), counts.ctypes.data_as(ctypes.c_void_p))
        return counts.tolist()

    return counts_of


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("f4", "f8", "g", "fma"):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        counts_of = by_compiler(folder) if sys.argv[2] == "fma" else by_numpy
        for line in file:
            place = json.loads(line)
            place["counts"] = counts_of(place, sys.argv[2])
            print(json.dumps(place))


main()
