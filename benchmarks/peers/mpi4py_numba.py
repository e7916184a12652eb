#!/usr/bin/python3
"""Peer: an mpi4py tile farm. Rank 0 hands out tiles and writes HDF5 by h5py, the others compute with Numba."""

import time

STARTED = time.perf_counter()

import h5py
import numpy as np
from mpi4py import MPI

import mandelbrot

TAG_WORK, TAG_STOP = 1, 2


def root(comm, job):
    """Two tiles ahead for every worker, so that none waits while the root compresses; returns the sum."""
    tiles = mandelbrot.tiles_of(job)
    waiting = iter(range(len(tiles)))
    buffer = np.empty(job.tile * job.tile, np.uint16)
    total = 0

    def send_next(worker):
        index = next(waiting, None)
        comm.send(index, worker, TAG_STOP if index is None else TAG_WORK)

    with h5py.File(job.output, "w") as file:
        dataset = mandelbrot.create_dataset(file, job)
        for worker in list(range(1, comm.size)) * 2:
            send_next(worker)
        for _ in tiles:
            status = MPI.Status()
            comm.Recv(buffer, MPI.ANY_SOURCE, MPI.ANY_TAG, status)
            worker = status.Get_source()
            send_next(worker)
            # The tag of a result is the number of its tile, moved past the other tags.
            tile = tiles[status.Get_tag() - TAG_STOP - 1]
            counts = buffer[: tile.height * tile.width].reshape(tile.height, tile.width)
            mandelbrot.write_tile(dataset, tile, counts)
            total += int(counts.sum(dtype="u8"))
    return total


def worker(comm, job):
    tiles = mandelbrot.tiles_of(job)
    sending = MPI.REQUEST_NULL
    while (index := comm.recv(source=0)) is not None:
        counts = mandelbrot.render_tile(tiles[index], job)
        sending.Wait()
        sent = counts  # stays alive until the send is over
        sending = comm.Isend(sent, 0, TAG_STOP + 1 + index)
    sending.Wait()


def main():
    comm = MPI.COMM_WORLD
    job = mandelbrot.parse_options(__doc__)
    if comm.size < 2:
        raise SystemExit("mpi4py_numba.py: needs at least 2 ranks, one to write and one to compute")
    startup_s = time.perf_counter() - STARTED
    mandelbrot.compile_kernel(job)
    comm.Barrier()
    start = time.perf_counter()
    total = root(comm, job) if comm.rank == 0 else worker(comm, job)
    comm.Barrier()
    job_s = time.perf_counter() - start
    if comm.rank == 0:
        mandelbrot.print_result(job, startup_s, job_s, total, peer="mpi4py+numba", ranks=comm.size)


if __name__ == "__main__":
    main()
