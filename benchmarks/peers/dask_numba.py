#!/usr/bin/python3
"""Peer: dask.distributed computes tiles with Numba on a LocalCluster, the client writes HDF5 by h5py."""

import os
import time

STARTED = time.perf_counter()
HERE = os.path.dirname(os.path.abspath(__file__))
# Worker processes must find the module that the tasks live in.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [HERE, os.environ.get("PYTHONPATH")]))

import h5py
from dask.distributed import Client, LocalCluster, as_completed

import mandelbrot


def add_options(parser):
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--threads", action="store_true", help="one process of so many threads")


def open_cluster(job):
    """As many workers as cores: processes of one thread, or threads of the client's own process."""
    many, threads = (1, job.workers) if job.threads else (job.workers, 1)
    return LocalCluster(n_workers=many, threads_per_worker=threads, processes=not job.threads,
                        dashboard_address=None, silence_logs=40)


def render(client, job):
    """Tiles in any order into the file as they come; returns the sum of all counts."""
    total = 0
    with h5py.File(job.output, "w") as file:
        dataset = mandelbrot.create_dataset(file, job)
        tiles = mandelbrot.tiles_of(job)
        futures = client.map(mandelbrot.render_tile, tiles, job=job, pure=False)
        tile_of = {future.key: tile for future, tile in zip(futures, tiles)}
        for future, counts in as_completed(futures, with_results=True):
            mandelbrot.write_tile(dataset, tile_of[future.key], counts)
            total += int(counts.sum(dtype="u8"))
            future.release()
    return total


def main():
    job = mandelbrot.parse_options(__doc__, add_options)
    with open_cluster(job) as cluster, Client(cluster) as client:
        startup_s = time.perf_counter() - STARTED
        client.run(mandelbrot.compile_kernel, job)
        start = time.perf_counter()
        total = render(client, job)
        job_s = time.perf_counter() - start
    mandelbrot.print_result(job, startup_s, job_s, total, peer="dask+numba", workers=job.workers)


if __name__ == "__main__":
    main()
