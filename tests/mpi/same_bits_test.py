"""usage: same_bits_test.py TESSERA RANKS

Small images, also with three tile sizes.
"""

import os

import same_bits
from same_bits import h5py

JOBS = {
    "seahorse": ["--view", "seahorse", "--size", "301x203", "--iterations", "700"],
    "wide counts": ["--view", "elephant", "--size", "97x120", "--iterations", "66000"],
    "smaller than a tile": ["--view", "whole", "--size", "61x40", "--iterations", "300"],
}
FIELDS = ("iterations", "smooth")


def cases():
    for name, job in JOBS.items():
        yield name, {}, ["render", *job, "--fields", ",".join(FIELDS), "--output", "a.h5", "--overwrite"]


def results(folder):
    with h5py.File(os.path.join(folder, "a.h5")) as file:
        assert file.attrs["status"] in (b"complete", "complete"), file.attrs["status"]
        assert (file["tiles"]["rank"] >= 0).all(), "a tile without a rank"
        return {field: (file[field].dtype, file[field][()].tobytes()) for field in FIELDS}


if __name__ == "__main__":
    same_bits.main(cases(), {"--tile": ("32", "100", "512"), "--threads": ("1", "2")}, results,
                   (*same_bits.REFERENCE, "--tile", "512"))
