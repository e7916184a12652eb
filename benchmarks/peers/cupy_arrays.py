"""Arrays of CuPy by Tessera, against the same arrays on the host (bits) and against CuPy (time).

    PYTHONPATH=build/release/python python3 cupy_arrays.py [--only compare|time]

Needs CuPy and a GPU. PyTorch, Numba and JAX are compared where they are."""

import argparse
import statistics
import time

import cupy as cp
import numpy as np

import tessera as ts

TYPES = "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split()
OPERATIONS = "sum mean std min max argmin argmax count_nonzero prod any all norm median".split()
ELEMENTS = 200003


class Comparison:
    def __init__(self):
        self.done = self.different = 0

    def compare(self, what, function, on_gpu, on_host):
        """Both results, or both errors, must be the same."""
        found, wanted = self._result(function, on_gpu), self._result(function, on_host)
        self.done += 1
        with_nan = isinstance(found, (float, np.floating))
        if type(found) is not type(wanted) or not np.array_equal(found, wanted, equal_nan=with_nan):
            self.different += 1
            print(f"differs: {what}: {found} {wanted}")

    @staticmethod
    def _result(function, x):
        try:
            return function(x)
        except ts.Error as error:
            return str(error)


def numbers(code, random):
    if code == "b1":
        return random.integers(0, 2, ELEMENTS, dtype="u1").view("?")
    return random.integers(0, 256, ELEMENTS * np.dtype(code).itemsize, dtype="u1").view(code)


def compare_type(comparison, code, random):
    host = numbers(code, random)
    gpu = cp.asarray(host)
    for name in OPERATIONS:
        function = getattr(ts, name)
        for part in (slice(None), slice(1, None), slice(None, None, 3)):
            comparison.compare(f"{name} {code} {part}", function, gpu[part], host[part])
    host, gpu = host[:200000].reshape(400, 500), gpu[:200000].reshape(400, 500)
    for name in ("sum", "max", "argmax", "std"):
        function = getattr(ts, name)
        comparison.compare(f"{name} {code} turned", function, gpu.T, host.T)
        comparison.compare(f"{name} {code} backwards", function, gpu[::-1, ::-1], host[::-1, ::-1])
        comparison.compare(f"{name} {code} by rows", lambda x, f=function: f(x, axis=0).tobytes(), gpu, host)
    if code != "b1":
        comparison.compare(f"expression {code}", lambda x: ts.sum(ts.expr("2*x+1", x=x)), gpu, host)


def compare_streams(comparison):
    """What is queued on CuPy's current stream is awaited."""
    with cp.cuda.Stream(non_blocking=True):
        x = cp.zeros((8192, 8192))
        for _ in range(20):
            x += 1.0
        comparison.compare("a stream", ts.sum, x, np.full((8192, 8192), 20.0))


def compare_others(comparison):
    host = np.arange(100003, dtype="f4") * np.float32(0.1)
    try:
        import torch

        comparison.compare("PyTorch", ts.sum, torch.from_numpy(host).cuda()[5:], host[5:])
    except ImportError:
        print("no PyTorch")
    try:
        import numba.cuda

        comparison.compare("Numba", ts.sum, numba.cuda.to_device(host), host)
    except ImportError:
        print("no Numba")
    try:
        import jax.numpy

        comparison.compare("JAX", ts.sum, jax.numpy.asarray(host), host)
    except ImportError:
        print("no JAX")


def median_s(function, repeats=9):
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def time_pair(what, size, ours, theirs):
    ours_s, theirs_s = median_s(ours), median_s(theirs)
    speed = f"{size / ours_s / 1e9:.0f} GB/s"
    print(f"| {what} | {ours_s * 1e3:.3f} ms | {speed} | {theirs_s * 1e3:.3f} ms | {theirs_s / ours_s:.2f} |")


def time_arrays():
    print("| | Tessera | | CuPy | ratio |\n|---|---|---|---|---|")
    for code, mib in (("f8", 8192), ("f4", 8192), ("i4", 4096), ("f8", 512), ("f8", 64), ("f8", 1)):
        count = mib * 2**20 // np.dtype(code).itemsize
        x = cp.arange(count, dtype=code) if code == "i4" else cp.random.random(count, dtype=code) - np.dtype(code).type(0.5)
        name = f"{code} {mib} MiB"
        time_pair(f"sum {name}", x.nbytes, lambda x=x: ts.sum(x), lambda x=x: x.sum().item())
        if mib > 1:
            time_pair(f"std {name}", x.nbytes, lambda x=x: ts.std(x), lambda x=x: x.std().item())
            time_pair(f"argmax {name}", x.nbytes, lambda x=x: ts.argmax(x), lambda x=x: x.argmax().item())
        if mib == 512:
            host = x.get()
            time_pair(f"sum {name}; of the same on the host", x.nbytes, lambda x=x: ts.sum(x), lambda: ts.sum(host))
            time_pair(f"median {name}, copied", x.nbytes, lambda x=x: ts.median(x), lambda x=x: cp.median(x).item())
            time_pair(f"histogram {name}, copied", x.nbytes, lambda x=x: ts.histogram(x, 100, (-0.5, 0.5)),
                      lambda x=x: cp.histogram(x, 100, (-0.5, 0.5))[0].get())
            time_pair(f"sum along an axis {name}, copied", x.nbytes, lambda x=x: ts.sum(x.reshape(8192, -1), axis=0),
                      lambda x=x: x.reshape(8192, -1).sum(axis=0).get())
        del x
        cp.get_default_memory_pool().free_all_blocks()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", choices=("compare", "time"))
    only = arguments.parse_args().only
    comparison = Comparison()
    if only != "time":
        random = np.random.default_rng(1)
        for code in TYPES:
            compare_type(comparison, code, random)
        compare_streams(comparison)
        compare_others(comparison)
        print(f"{comparison.done} results compared, {comparison.different} differ")
    if only != "compare":
        time_arrays()
    return int(comparison.different > 0)


if __name__ == "__main__":
    raise SystemExit(main())
