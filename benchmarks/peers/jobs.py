#!/usr/bin/python3
"""usage: jobs.py TOOL JOB [ARGUMENT...]

Does a job of docs/benchmarks/2026-11-peers.md as somebody would write it with that tool, and prints one line of JSON:
seconds without start-up, imports and compilation, a number to check, lines of code. Exits 3 where the tool is not there.

  mandelbrot SIZE ITERATIONS       mean escape count of the whole set
  add A.npy B.npy C.npy            C = A + B
  speed U.npy V.npy                mean of sqrt(u*u + v*v)
  groups VALUES.npy KEYS.npy       sums of groups; the number is that of the first group
"""

import importlib
import inspect
import json
import os
import sys
import time

import numpy as np

CORES = len(os.sched_getaffinity(0))


def axes(size):
    """Coordinates of the columns and rows of the whole set."""
    steps = (np.arange(size) + 0.5 - size / 2) * (3.0 / size)
    return steps - 0.75, -steps


def count_rows(x, y, iterations, xp=np):
    c = x + 1j * y[:, None]
    z = xp.zeros_like(c)
    live = xp.ones(c.shape, bool)
    counts = xp.zeros(c.shape, "u2")
    for _ in range(iterations):
        live &= z.real**2 + z.imag**2 <= 4
        counts += live
        z[live] = z[live] ** 2 + c[live]
    return counts


def count_pixels(x, y, iterations):
    counts = np.empty((len(y), len(x)), np.uint16)
    for i in range(len(y)):
        for j in range(len(x)):
            a = b = 0.0
            n = 0
            while n < iterations and a * a + b * b <= 4:
                a, b = a * a - b * b + x[j], 2 * a * b + y[i]
                n += 1
            counts[i, j] = n
    return counts


def add_slice(a, b, c, first, end):
    c = np.load(c, mmap_mode="r+")
    c[first:end] = np.load(a, mmap_mode="r")[first:end] + np.load(b, mmap_mode="r")[first:end]


def speed_slice(u, v, first, end):
    u, v = np.load(u, mmap_mode="r")[first:end], np.load(v, mmap_mode="r")[first:end]
    return np.sqrt(u * u + v * v).sum()


def sum_slice(values, keys, groups, first, end):
    values, keys = np.load(values, mmap_mode="r")[first:end], np.load(keys, mmap_mode="r")[first:end]
    return np.bincount(keys, values, groups)


def add_all(a, b, c):
    for i in range(len(a)):
        c[i] = a[i] + b[i]


def speed_all(u, v):
    total = 0.0
    for i in range(len(u)):
        total += np.sqrt(u[i] * u[i] + v[i] * v[i])
    return total / len(u)


def sum_all(values, keys, sums):
    for i in range(len(values)):
        sums[keys[i]] += values[i]


def length_of(file):
    return len(np.load(file, mmap_mode="r"))


def slices(file):
    ends = np.linspace(0, length_of(file), 4 * CORES + 1).astype(int)
    return list(zip(ends[:-1], ends[1:]))


def new_file(like, file):
    np.lib.format.open_memmap(file, "w+", "f8", (length_of(like),))


class NumPy:
    module = "numpy"

    @staticmethod
    def mandelbrot(size, iterations):
        return count_rows(*axes(size), iterations).mean()

    @staticmethod
    def add(a, b, c):
        np.save(c, np.load(a) + np.load(b))

    @staticmethod
    def speed(u, v):
        u, v = np.load(u), np.load(v)
        return np.sqrt(u * u + v * v).mean()

    @staticmethod
    def groups(values, keys):
        return np.bincount(np.load(keys), np.load(values))[0]


class Numba:
    """One core."""

    module = "numba"

    @staticmethod
    def mandelbrot(size, iterations):
        return jit(count_pixels)(*axes(size), iterations).mean()

    @staticmethod
    def add(a, b, c):
        a, b = np.load(a), np.load(b)
        result = np.empty_like(a)
        jit(add_all)(a, b, result)
        np.save(c, result)

    @staticmethod
    def speed(u, v):
        return jit(speed_all)(np.load(u), np.load(v))

    @staticmethod
    def groups(values, keys):
        values, keys = np.load(values), np.load(keys)
        sums = np.zeros(keys.max() + 1)
        jit(sum_all)(values, keys, sums)
        return sums[0]


COMPILED = {}


def jit(function):
    if function not in COMPILED:
        import numba

        COMPILED[function] = numba.njit(function)
    return COMPILED[function]


class InPieces:
    """Tools that call a function for each of many pieces; `call` does so."""

    @classmethod
    def mandelbrot(cls, size, iterations):
        x, y = axes(size)
        parts = cls.call(count_rows, [(x, rows, iterations) for rows in np.array_split(y, 4 * CORES)])
        return np.concatenate(parts).mean()

    @classmethod
    def add(cls, a, b, c):
        new_file(a, c)
        cls.call(add_slice, [(a, b, c, *part) for part in slices(a)])

    @classmethod
    def speed(cls, u, v):
        return sum(cls.call(speed_slice, [(u, v, *part) for part in slices(u)])) / length_of(u)

    @classmethod
    def groups(cls, values, keys):
        count = int(np.load(keys, mmap_mode="r").max()) + 1
        return sum(cls.call(sum_slice, [(values, keys, count, *part) for part in slices(values)]))[0]


class Multiprocessing(InPieces):
    module = "multiprocessing"

    @staticmethod
    def call(function, pieces):
        from multiprocessing import Pool

        with Pool(CORES) as pool:
            return pool.starmap(function, pieces)


class Joblib(InPieces):
    module = "joblib"

    @staticmethod
    def call(function, pieces):
        from joblib import Parallel, delayed

        return Parallel(n_jobs=CORES)(delayed(function)(*piece) for piece in pieces)


class Ray(InPieces):
    module = "ray"

    @staticmethod
    def call(function, pieces):
        import ray

        remote = ray.remote(function)
        return ray.get([remote.remote(*piece) for piece in pieces])


class Dask:
    """dask.array, in chunks of its own choice; the pixels as delayed rows."""

    module = "dask.array"

    @staticmethod
    def mandelbrot(size, iterations):
        import dask

        x, y = axes(size)
        rows = [dask.delayed(count_rows)(x, some, iterations) for some in np.array_split(y, 4 * CORES)]
        return np.concatenate(dask.compute(*rows, scheduler="processes")).mean()

    @staticmethod
    def add(a, b, c):
        import dask.array as da

        new_file(a, c)
        a, b = (da.from_array(np.load(file, mmap_mode="r")) for file in (a, b))
        da.store(a + b, np.load(c, mmap_mode="r+"))

    @staticmethod
    def speed(u, v):
        import dask.array as da

        u, v = (da.from_array(np.load(file, mmap_mode="r")) for file in (u, v))
        return da.sqrt(u * u + v * v).mean().compute()

    @staticmethod
    def groups(values, keys):
        import dask.array as da

        values, keys = (da.from_array(np.load(file, mmap_mode="r")) for file in (values, keys))
        count = int(keys.max().compute()) + 1
        return da.bincount(keys, weights=values, minlength=count).compute()[0]


class CuPy:
    module = "cupy"

    @staticmethod
    def mandelbrot(size, iterations):
        import cupy

        x, y = axes(size)
        return float(count_rows(cupy.asarray(x), cupy.asarray(y), iterations, cupy).mean())

    @staticmethod
    def add(a, b, c):
        import cupy

        cupy.save(c, cupy.load(a) + cupy.load(b))

    @staticmethod
    def speed(u, v):
        import cupy

        u, v = cupy.load(u), cupy.load(v)
        return float(cupy.sqrt(u * u + v * v).mean())

    @staticmethod
    def groups(values, keys):
        import cupy

        return float(cupy.bincount(cupy.load(keys), cupy.load(values))[0])


class PyCUDA:
    module = "pycuda.gpuarray"

    @staticmethod
    def add(a, b, c):
        import pycuda.autoinit
        from pycuda import gpuarray

        np.save(c, (gpuarray.to_gpu(np.load(a)) + gpuarray.to_gpu(np.load(b))).get())

    @staticmethod
    def speed(u, v):
        import pycuda.autoinit
        from pycuda import cumath, gpuarray

        u, v = gpuarray.to_gpu(np.load(u)), gpuarray.to_gpu(np.load(v))
        return float(gpuarray.sum(cumath.sqrt(u * u + v * v)).get()) / u.size


TOOLS = {"NumPy": NumPy, "Numba": Numba, "multiprocessing": Multiprocessing, "joblib": Joblib, "Dask": Dask, "Ray": Ray,
         "CuPy": CuPy, "PyCUDA": PyCUDA}
# What each job calls beside its own function.
PARTS = {"mandelbrot": (count_rows,), "add": (add_slice, new_file, slices), "speed": (speed_slice, slices),
         "groups": (sum_slice, slices)}
LOOPS = {"mandelbrot": (count_pixels,), "add": (add_all,), "speed": (speed_all,), "groups": (sum_all,)}


def lines_of(tool, job):
    """Lines of code of the job, with everything that it calls but the tool."""
    parts = [getattr(tool, job)]
    if issubclass(tool, InPieces):
        parts += [tool.call, *PARTS[job]]
    elif tool is Numba:
        parts += LOOPS[job]
    elif job == "mandelbrot":
        parts += PARTS[job]
    lines = [line for part in parts for line in inspect.getsource(part).splitlines()]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith(("@", '"""')))


def warm(tool, job):
    """Imports, and compiles by a small case."""
    importlib.import_module(tool.module)
    if tool is Ray:
        import ray

        ray.init(num_cpus=CORES, log_to_driver=False)
    if tool is not Numba:
        return
    few, keys = np.ones(4), np.zeros(4, "i8")
    small = {"mandelbrot": (few, few, 2), "add": (few, few, few.copy()), "speed": (few, few), "groups": (few, keys, few.copy())}
    jit(LOOPS[job][0])(*small[job])


def main():
    arguments = sys.argv[1:]
    name, job, *rest = arguments
    tool = TOOLS[name]
    if not hasattr(tool, job):
        print(f"{name}: no {job}", file=sys.stderr)
        return 3
    try:
        warm(tool, job)
    except ImportError as missing:
        print(missing, file=sys.stderr)
        return 3
    start = time.perf_counter()
    found = getattr(tool, job)(*(int(one) if one.isdigit() else one for one in rest))
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "value": None if found is None else float(found), "lines": lines_of(tool, job)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
