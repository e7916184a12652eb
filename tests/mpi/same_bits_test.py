"""usage: same_bits_test.py TESSERA RANKS

Renders small images with RANKS ranks, 1 and 2 threads each and three tile sizes, and compares every
value with what one rank's reference device computes in one tile.
"""

import itertools
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

JOBS = {
    "seahorse": ["--view", "seahorse", "--size", "301x203", "--iterations", "700"],
    "wide counts": ["--view", "elephant", "--size", "97x120", "--iterations", "66000"],
    "smaller than a tile": ["--view", "whole", "--size", "61x40", "--iterations", "300"],
}
FIELDS = ("iterations", "smooth")


def render(tessera, ranks, output, *options):
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"] if ranks else []
    subprocess.run([*command, tessera, "render", *options, "--fields", ",".join(FIELDS), "--output", output,
                    "--overwrite", "--quiet"], check=True, timeout=60)
    with h5py.File(output, "r") as file:
        assert file.attrs["status"] in (b"complete", "complete"), file.attrs["status"]
        assert (file["tiles"]["rank"] >= 0).all(), "a tile without a rank"
        return [file[field][()] for field in FIELDS]


def main():
    tessera, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    compared = 0
    with tempfile.TemporaryDirectory(prefix="tessera mpi ") as folder:
        output = os.path.join(folder, "a.h5")
        for name, job in JOBS.items():
            truth = render(tessera, 0, output, *job, "--device", "reference", "--threads", "1", "--tile", "512")
            for tile, threads in itertools.product((32, 100, 512), (1, 2)):
                got = render(tessera, ranks, output, *job, "--tile", str(tile), "--threads", str(threads))
                for field, a, b in zip(FIELDS, truth, got):
                    if a.dtype != b.dtype or a.tobytes() != b.tobytes():
                        print(f"{name}: /{field} differs with tile {tile}, {threads} thread(s), {ranks} rank(s)")
                        return 1
                    compared += a.size
    print(f"{compared} values equal the reference, bit for bit, with {ranks} rank(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
