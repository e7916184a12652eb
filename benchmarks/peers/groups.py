"""usage: groups.py numpy|pandas sum|median VALUES.npy KEYS.npy

Sums of groups by numpy.bincount or by pandas, or medians by pandas, of arrays in memory, on one core. Prints JSON: seconds of
processor time, and two of the values. Exits 3 where the package is not there.
"""

import json
import sys
import time

import numpy as np


def main():
    package, operation, values, keys = sys.argv[1], sys.argv[2], np.load(sys.argv[3]), np.load(sys.argv[4])
    if package == "pandas":
        try:
            import pandas
        except ImportError as missing:
            print(missing, file=sys.stderr)
            return 3
        start = time.process_time()
        found = pandas.Series(values).groupby(keys).agg(operation)
        seconds = time.process_time() - start
        found = found.to_numpy()
    else:
        start = time.process_time()
        found = np.bincount(keys, values)
        seconds = time.process_time() - start
    print(json.dumps({"cpu_s": seconds, "groups": len(found), "values": [found[0], found[-1]]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
