#!/usr/bin/python3
"""Peer: one thread a pixel in a CuPy RawKernel, as one would write it at first, and with the test for escape
only after every 16 steps. f64, the same operations as Tessera's; counts stay on the device."""

import json
import statistics
import sys

# Rows i from the top, columns j; `limit` is the count of a pixel that was not seen to escape.
SOURCE = r"""
__device__ void start(int size, double re, double im, double width, long long k, double* cr, double* ci) {
  const double step = width / size;
  *cr = fma(k % size + 0.5 - size * 0.5, step, re);
  *ci = fma(size * 0.5 - (k / size + 0.5), step, im);
}

__device__ void advance(double cr, double ci, double* x, double* y) {
  const double t = fma(-*y, *y, cr);
  *y = fma(*x + *x, *y, ci);
  *x = fma(*x, *x, t);
}

extern "C" __global__ void plain(unsigned short* counts, int size, int limit, double re, double im,
                                 double width) {
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= (long long)size * size) return;
  double cr, ci, x = 0, y = 0;
  start(size, re, im, width, k, &cr, &ci);
  int n = 0;
  for (; n < limit; ++n) {
    if (fma(x, x, y * y) > 4.0) break;
    advance(cr, ci, &x, &y);
  }
  counts[k] = n;
}

extern "C" __global__ void blocks(unsigned short* counts, int size, int limit, double re, double im,
                                  double width) {
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= (long long)size * size) return;
  double cr, ci, x = 0, y = 0;
  start(size, re, im, width, k, &cr, &ci);
  int n = 0;
  for (; n + 16 <= limit; n += 16) {
    double u = x, v = y;
#pragma unroll
    for (int i = 0; i < 16; ++i) advance(cr, ci, &u, &v);
    if (!(fma(u, u, v * v) <= 4.0)) break; // inf - inf is NaN, which has escaped too
    x = u;
    y = v;
  }
  for (; n < limit; ++n) { // replays the block in which the orbit escaped
    if (fma(x, x, y * y) > 4.0) break;
    advance(cr, ci, &x, &y);
  }
  counts[k] = n;
}
"""
VIEWS = {
    "whole_set": (1000, -0.75, 0.0, 3.0),
    "seahorse": (5000, -0.743643887037151, 0.131825904205330, 0.0025),
    "elephant": (2000, 0.2925755, -0.0149977, 0.03),
}
THREADS = 256


def measure(cupy, kernel, counts, size, view):
    """Iterations a second, median of 5 after a first launch, and the mean count."""
    limit, re, im, width = view
    arguments = (counts, cupy.int32(size), cupy.int32(limit), cupy.float64(re), cupy.float64(im),
                 cupy.float64(width))
    groups = ((size * size + THREADS - 1) // THREADS,)
    kernel(groups, (THREADS,), arguments)
    seconds = []
    for _ in range(5):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        kernel(groups, (THREADS,), arguments)
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(start, end) / 1e3)
    total = int(counts.sum(dtype=cupy.uint64))
    return {"iterations_per_s": total / statistics.median(seconds), "mean": total / size**2}


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
    try:
        import cupy

        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # not installed, or installed for a driver that is not there
        print(f"no CuPy with a GPU: {error}".splitlines()[0], file=sys.stderr)
        return 3
    if found == 0:
        print("no CuPy with a GPU: CUDA sees no device", file=sys.stderr)
        return 3
    counts = cupy.empty(size * size, cupy.uint16)
    results = {}
    for name in ("plain", "blocks"):
        kernel = cupy.RawKernel(SOURCE, name, options=("-fmad=false",))
        for view in VIEWS:
            results[f"{view}/{name}"] = measure(cupy, kernel, counts, size, VIEWS[view])
    print(json.dumps(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
