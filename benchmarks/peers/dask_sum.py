#!/usr/bin/python3
"""Peer: dask.array over h5py sums a dataset with threads of one process. Prints one line of JSON."""

import argparse
import json
import time

import dask
import dask.array
import h5py


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("dataset")
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    with h5py.File(arguments.file) as file:
        dataset = file[arguments.dataset]
        start = time.perf_counter()
        array = dask.array.from_array(dataset)
        total = array.sum(dtype="f8").compute(scheduler="threads", num_workers=arguments.threads)
        seconds = time.perf_counter() - start
    print(json.dumps({"sum": float(total), "bytes": array.nbytes, "seconds": seconds}))


if __name__ == "__main__":
    main()
