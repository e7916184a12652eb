#!/usr/bin/python3
"""Peer: reads a dataset through H5Dread (h5py's read_direct into one buffer), a slab of whole chunks at a
time, and does nothing with it. Prints one line of JSON."""

import argparse
import json
import time

import h5py
import numpy


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("dataset")
    arguments = parser.parse_args()
    with h5py.File(arguments.file) as file:
        dataset = file[arguments.dataset]
        rows = dataset.chunks[0]
        slab = numpy.empty((rows, *dataset.shape[1:]), dataset.dtype)
        start = time.perf_counter()
        for row in range(0, dataset.shape[0], rows):
            many = min(rows, dataset.shape[0] - row)
            dataset.read_direct(slab, numpy.s_[row:row + many], numpy.s_[:many])
        seconds = time.perf_counter() - start
        print(json.dumps({"bytes": int(dataset.nbytes), "seconds": seconds}))


if __name__ == "__main__":
    main()
