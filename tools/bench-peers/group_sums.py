"""usage: group_sums.py numpy|pandas VALUES.npy KEYS.npy

Sums of groups by numpy.bincount or by pandas, of arrays in memory, on one core. Prints JSON: seconds, and two of the sums.
Exits 3 where the package is not there.
"""

import json
import sys
import time

import numpy as np


def main():
    package, values, keys = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3])
    if package == "pandas":
        try:
            import pandas
        except ImportError as missing:
            print(missing, file=sys.stderr)
            return 3
        start = time.perf_counter()
        sums = pandas.Series(values).groupby(keys).sum()
        seconds = time.perf_counter() - start
        sums = sums.to_numpy()
    else:
        start = time.perf_counter()
        sums = np.bincount(keys, values)
        seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "groups": len(sums), "sums": [sums[0], sums[-1]]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
