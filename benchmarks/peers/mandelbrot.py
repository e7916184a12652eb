"""What both peers share: the compiled tile, the options, the file, and the line of JSON at the end.

Written as somebody would who knows Numba and h5py well: one compiled loop without the interpreter lock,
tiles in any order, HDF5 chunks of one tile. Counts are the first n with |z_n|^2 > 4, or N, as Tessera's;
the compiler chooses which operations to fuse, so some pixels in a hundred thousand differ from Tessera's.
"""

import argparse
import json
from dataclasses import dataclass

import h5py
import numpy as np
from numba import njit


@dataclass(frozen=True)
class Tile:
    top: int
    left: int
    height: int
    width: int


@njit(nogil=True, fastmath={"contract"})
def count_tile(counts, top, left, size, step, center_re, center_im, iterations, skip):
    """Fills counts[h, w] (uint16) with the escape counts of the tile at row `top`, column `left`."""
    for i in range(counts.shape[0]):
        ci = center_im + (size * 0.5 - (top + i + 0.5)) * step
        for j in range(counts.shape[1]):
            cr = center_re + (left + j + 0.5 - size * 0.5) * step
            if skip:
                q = (cr - 0.25) * (cr - 0.25) + ci * ci
                in_cardioid = q * (q + (cr - 0.25)) <= 0.25 * ci * ci
                in_disc = (cr + 1.0) * (cr + 1.0) + ci * ci <= 0.0625
                if in_cardioid or in_disc:
                    counts[i, j] = iterations
                    continue
            x = y = 0.0
            count = iterations
            for n in range(iterations):
                xx = x * x
                yy = y * y
                if xx + yy > 4.0:
                    count = n
                    break
                y = 2.0 * x * y + ci
                x = xx - yy + cr
            counts[i, j] = count
    return counts


def render_tile(tile, job):
    counts = np.empty((tile.height, tile.width), np.uint16)
    return count_tile(counts, tile.top, tile.left, job.size, job.width / job.size, *job.center,
                      job.iterations, job.skip)


def compile_kernel(job):
    """Compiles, or loads what is compiled, so that no measured tile does."""
    render_tile(Tile(0, 0, 2, 2), job)


def tiles_of(job):
    steps = range(0, job.size, job.tile)
    return [Tile(top, left, min(job.tile, job.size - top), min(job.tile, job.size - left))
            for top in steps for left in steps]


def create_dataset(file, job):
    chunk = min(job.tile, job.size)
    return file.create_dataset("iterations", (job.size, job.size), np.uint16, chunks=(chunk, chunk),
                               compression="gzip", compression_opts=4, shuffle=True)


def write_tile(dataset, tile, counts):
    dataset[tile.top : tile.top + tile.height, tile.left : tile.left + tile.width] = counts


def complex_pair(text):
    re, im = text.split(",")
    return float(re), float(im)


def parse_options(description, add_options=lambda parser: None):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--size", type=int, default=4096, help="pixels a side")
    parser.add_argument("--iterations", type=int, default=1000, help="at most 65535")
    parser.add_argument("--center", type=complex_pair, default=(-0.75, 0.0), help="RE,IM")
    parser.add_argument("--width", type=float, default=3.0, help="of the image in the plane")
    parser.add_argument("--tile", type=int, default=512, help="pixels a side")
    parser.add_argument("--skip", action="store_true", help="test for cardioid and period-2 disc")
    parser.add_argument("--output", default="peer.h5")
    add_options(parser)
    job = parser.parse_args()
    if not 0 < job.iterations <= 65535:
        parser.error("--iterations: 1 to 65535")
    return job


def print_result(job, startup_s, job_s, total, **more):
    """One line of JSON. `total` is the sum of all counts, by which the answer is checked."""
    pixels = job.size * job.size
    print(json.dumps({
        "seconds": startup_s + job_s,
        "seconds_without_startup": job_s,
        "mean": total / pixels,
        "sum": int(total),
        "pixels_per_s": pixels / job_s,
        "iterations_per_s": total / job_s,
        **more,
    }), flush=True)
