#!/usr/bin/env python3
"""Packed arrays at random: tessera against the rules in packed_rules.py.

usage: packed_oracle.py TESSERA [--cases N] [--seconds S] [--seed N] [--case N] [--device LIST] [--verbose]

A case has a number, which decides everything: elements, attributes, storage, the command. What tessera makes of the
packed array is compared with what it makes of a file of the decoded elements that are there; outputs of --axis are
compared with exact arithmetic. A difference prints the line that repeats its case; exit 1.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError as missing_module:
    print(f"SKIPPED: {missing_module} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from answers import Answers
from packed_rules import Refused, code, decode
from setting import HANG_S

TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
WHOLE = ["sum", "prod", "mean", "var", "std", "skewness", "kurtosis", "min", "max", "minmax", "argmin", "argmax", "norm1", "norm2", "norminf",
         "count_nonzero", "any", "all", "median", "quantile=0.1,0.9", "topk=3", "argtopk=3", "histogram=7,-50,50"]
AXIS = ["sum", "mean", "var", "min", "max", "minmax", "argmin", "argmax", "norm1", "norm2", "norminf", "count_nonzero",
        "any", "all", "median", "argtopk=2", "topk=2"]
INTEGERS_ONLY = ["mode", "nunique"]
PLACES = ("argmin", "argmax", "argtopk")
TWO = {"minmax": 2, "topk": 2, "argtopk": 2}


class Difference(Exception):
    pass


def random_elements(rng, dtype, shape):
    own = np.dtype(dtype)
    if own.kind == "f":
        x = rng.choice([rng.normal(0, 30, shape), np.floor(rng.normal(0, 5, shape))])
        x = np.where(rng.random(shape) < 0.1, rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan]), x)
        return x.astype(own)
    limits = np.iinfo(own)
    if rng.random() < 0.3:
        return rng.integers(limits.min, limits.max, shape, own, endpoint=True)
    return rng.integers(max(limits.min, -60), min(limits.max, 60), shape, endpoint=True).astype(own)


def random_number(rng, elements, dtype):
    """Often one of the elements."""
    with np.errstate(all="ignore"):
        if elements.size and rng.random() < 0.7:
            return np.asarray(rng.choice(elements.ravel())).astype(dtype)
        return np.asarray(rng.normal(0, 40)).astype(dtype)


def random_attributes(rng, elements):
    own = code(elements)
    other = lambda chance: str(rng.choice(TYPES)) if rng.random() < chance else own  # noqa: E731
    attributes = {}
    if rng.random() < 0.6:
        attributes["_FillValue"] = random_number(rng, elements, other(0.15))
    if rng.random() < 0.35:
        dtype = other(0.2)
        attributes["missing_value"] = np.array([random_number(rng, elements, dtype)
                                                for _ in range(int(rng.integers(1, 4)))])
    for name, chance in (("scale_factor", 0.5), ("add_offset", 0.45)):
        if rng.random() < chance:
            dtype = str(rng.choice(["f4", "f8", "f8", "i2", own]))
            with np.errstate(all="ignore"):
                attributes[name] = np.asarray(rng.choice([0.01, 0.1, 273.15, 2.0, -0.5, 0.0, 3.0])).astype(dtype)
    if own[0] != "f" and rng.random() < 0.3:
        attributes["_Unsigned"] = str(rng.choice(["true", "True", "false", "TRUE"]))
    for name, chance in (("valid_min", 0.15), ("valid_max", 0.15), ("valid_range", 0.15)):
        if rng.random() < chance:
            dtype = other(0.25)
            ends = sorted([random_number(rng, elements, dtype) for _ in range(2)], key=lambda x: float(x))
            attributes[name] = np.array(ends) if name == "valid_range" else ends[name == "valid_max"]
    if rng.random() < 0.06:
        spoil(rng, attributes)
    return attributes


def spoil(rng, attributes):
    name = str(rng.choice(["scale_factor", "add_offset", "valid_range", "_FillValue", "_Unsigned"]))
    attributes[name] = {"scale_factor": "0.1", "add_offset": np.array([np.nan, np.inf][int(rng.integers(2))]),
                        "valid_range": np.array([1.0, 2.0, 3.0]), "_FillValue": np.array([1, 2], "i2"),
                        "_Unsigned": "maybe"}[name]


def write_packed(rng, path, name, elements, attributes):
    options = {}
    if elements.size and elements.ndim and rng.random() < 0.5:
        options["chunks"] = tuple(int(rng.integers(1, side + 1)) for side in elements.shape)
        if rng.random() < 0.6:
            options.update(compression="gzip", shuffle=bool(rng.integers(2)))
    if rng.random() < 0.3:
        elements = elements.astype(elements.dtype.newbyteorder(">"))
    with h5py.File(path, "a") as file:
        data = file.create_dataset(name, data=elements, **options)
        for key, value in attributes.items():
            data.attrs[key] = value


class Case:
    def __init__(self, number, options):
        self.number, self.options = number, options
        self.rng = np.random.default_rng([number, 1])
        self.device = str(self.rng.choice(options.device.split(",")))
        self.nan = str(self.rng.choice(["propagate", "skip"]))

    def run(self, folder):
        self.folder = folder
        rng = self.rng
        shape = tuple(int(rng.integers(1, 12)) for _ in range(int(rng.integers(1, 4))))
        if rng.random() < 0.1:
            shape = (int(rng.integers(3000, 9000)),)
        self.stored = random_elements(rng, str(rng.choice(TYPES)), shape)
        self.attributes = random_attributes(rng, self.stored)
        write_packed(rng, self.path("x.nc"), "d", self.stored, self.attributes)
        self.given = [float(rng.choice(self.stored.ravel()))] if rng.random() < 0.15 else []
        self.given = [x for x in self.given if math.isfinite(x)]
        self.raw = rng.random() < 0.1
        self.arguments = ["--device", self.device]
        if self.raw:
            self.arguments.append("--raw")
        if self.given:
            self.arguments.append("--missing=" + ",".join(repr(x) for x in self.given))
        try:
            self.values, self.filled, self.outside = decode(self.stored, self.attributes, self.given, self.raw)
        except Refused as why:
            return self.check_refused(str(why))
        self.missing = self.filled | self.outside
        for check in (self.check_whole, self.check_axis, self.check_groups, self.check_dot, self.check_map):
            if rng.random() < 0.75:
                check()
        return None

    def path(self, name):
        return os.path.join(self.folder, name)

    def tessera(self, *arguments):
        self.last = arguments
        command = [self.options.tessera, *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)
        if self.options.verbose:
            print("  ", " ".join(arguments), "->", done.returncode, done.stderr.strip()[-200:])
        return done

    def answers(self, *arguments):
        done = self.tessera("reduce", *arguments, "--json", "--nan", self.nan)
        if done.returncode != 0:
            raise Difference(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)

    def check_refused(self, name):
        done = self.tessera("reduce", "x.nc:/d", "--op", "sum", *self.arguments)
        if done.returncode != 2 or name not in done.stderr.splitlines()[-1]:
            raise Difference(f"want a refusal of {name}, got {done.returncode}: {done.stderr.strip()}")

    def save(self, name, array):
        np.save(self.path(name), array)
        return name

    def operations(self, some):
        whole = self.values.dtype.kind != "f"
        all_ = some + (INTEGERS_ONLY if whole else [])
        chosen = [op for op in all_ if self.rng.random() < 0.5] or ["sum"]
        if code(self.stored) == "f2" and self.values.dtype == np.float16:
            chosen = [op for op in chosen if not op.startswith("quantile")] or ["sum"]
        return chosen

    def check_whole(self):
        there = ~self.missing.ravel()
        present = self.values.ravel()[there]
        places = np.flatnonzero(there)
        operations = self.operations(WHOLE)
        if present.size == 0:
            operations = ["sum", "mean", "count_nonzero", "any", "all", "norm2"]
        elif present.size < 3:
            operations = [op for op in operations if "topk" not in op] or ["sum"]
        wanted = self.answers(self.save("present.npy", present), "--op", ",".join(operations), "--device", "cpu")
        found = self.answers("x.nc:/d", "--op", ",".join(operations), *self.arguments)
        counts = [int(self.filled.sum()), int(self.outside.sum())]
        said = found["array"].get("missing", {"fill": 0, "range": 0})
        if [said["fill"], said["range"]] != counts:
            raise Difference(f"missing {said}, want {counts}")
        if found["array"]["nans"] != wanted["array"]["nans"]:
            raise Difference(f"NaN: {found['array']['nans']}, want {wanted['array']['nans']}")
        for mine, other in zip(found["results"], wanted["results"]):
            want = [v["decimal"] for v in other["values"]]
            if other["op"].startswith(PLACES):
                want = [str(places[int(x)]) if int(x) >= 0 else x for x in want]
            if [v["decimal"] for v in mine["values"]] != want:
                raise Difference(f"{mine['op']}: {mine['values']}, want {want}")

    def check_axis(self):
        if self.stored.ndim == 0:
            return
        axes = sorted(self.rng.choice(self.stored.ndim, int(self.rng.integers(1, self.stored.ndim + 1)),
                                      replace=False).tolist())
        kept = [d for d in range(self.stored.ndim) if d not in axes]
        moved = np.transpose(self.values, kept + axes)
        outputs = math.prod(moved.shape[:len(kept)])
        rows = moved.reshape(outputs, -1)
        there = ~np.transpose(self.missing, kept + axes).reshape(outputs, -1)
        operations = self.operations(AXIS)
        if rows.shape[1] < 2:
            operations = [op for op in operations if "topk" not in op] or ["sum"]
        done = self.tessera("reduce", "x.nc:/d", "--axis", ",".join(map(str, axes)), "--op", ",".join(operations),
                            "--output", "o.h5", "--overwrite", "--quiet", "--nan", self.nan, *self.arguments)
        wide = self.values.dtype.kind != "f" and self.values.dtype.itemsize == 8
        picks = any(op.split("=")[0] in ("min", "max", "minmax", "mode", "topk") for op in operations)
        few = 2 if any(op.startswith("topk") for op in operations) else 1
        if done.returncode != 0:
            if wide and picks and (there.sum(axis=1) < few).any() and done.returncode in (2, 4):
                return
            if done.returncode == 4 and "does not hold" in done.stderr and self.overflows(rows, there):
                return
            raise Difference(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
        with h5py.File(self.path("o.h5")) as file:
            for op in operations:
                name = op.split("=")[0]
                found = file[name][()].reshape(outputs, -1)
                for output in range(outputs):
                    self.check_output(name, found[output], rows[output], there[output])

    def overflows(self, rows, there):
        """Whether a sum, of magnitudes at least, is beyond 64 bits."""
        if self.values.dtype.kind == "f":
            return False
        return any(sum(abs(x) for x in row[present].tolist()) >= 2**63 for row, present in zip(rows, there))

    def check_output(self, name, found, row, there):
        present = row[there]
        places = np.flatnonzero(there)
        want = self.wanted(name, present)
        if name in PLACES:
            want = [int(places[i]) if i >= 0 else -1 for i in want]
        got = [float(x) if isinstance(x, (float, np.floating)) else int(x) for x in found.tolist()]
        same = all(g == w or (g != g and w != w) for g, w in zip(got, want)) and len(got) == len(want)
        if not same:
            raise Difference(f"{name} of {row.tolist()} with {there.tolist()}: {got}, want {want}")

    def wanted(self, name, present):
        if present.size == 0:
            nothing = {"sum": 0, "norm1": 0, "norm2": 0, "norminf": 0, "count_nonzero": 0, "any": 0, "all": 1,
                       "nunique": 0, "argmin": -1, "argmax": -1, "argtopk": -1}.get(name, math.nan)
            return [nothing] * TWO.get(name, 1)
        answers = Answers(present[None, :], self.nan)
        if name in ("topk", "argtopk"):
            numbers = list(getattr(answers, name)(2)[0])
            return numbers + [-1 if name == "argtopk" else math.nan] * (2 - len(numbers))
        found = answers.of(name)[0]
        return list(found) if isinstance(found, tuple) else [found]

    def check_groups(self):
        keys = self.rng.integers(-3, 4, self.stored.shape).astype(str(self.rng.choice(["i1", "i2", "i4", "i8"])))
        attributes = {"_FillValue": keys.dtype.type(self.rng.integers(-3, 4))} if self.rng.random() < 0.5 else {}
        write_packed(self.rng, self.path("x.nc"), "k", keys, attributes)
        _, filled, _ = decode(keys, attributes, raw=self.raw)
        there = ~self.missing & ~filled
        operations = ["mean", "min", "max", "median", "count_nonzero"]
        if self.values.dtype.kind == "f" or self.values.dtype.itemsize < 8:
            operations.append("sum")  # of 64 bits it may fit into no integer of a table
        if not there.any():
            return
        wanted = self.answers(self.save("p.npy", self.values[there]), "--by", self.save("k.npy", keys[there]), "--op",
                              ",".join(operations), "--device", "cpu")
        found = self.answers("x.nc:/d", "--by", "x.nc:/k", "--op", ",".join(operations), *self.arguments)
        mine, other = found["groups"], wanted["groups"]
        if mine["rows"] != other["rows"]:
            raise Difference(f"groups: {mine['rows']}, want {other['rows']}")
        if found["array"].get("missing", {"fill": 0})["fill"] != int(self.filled.sum()):
            raise Difference(f"missing {found['array'].get('missing')}, want {self.filled.sum()}")

    def check_dot(self):
        y = random_elements(self.rng, str(self.rng.choice(["i2", "f4", "f8"])), self.stored.shape)
        attributes = random_attributes(self.rng, y)
        write_packed(self.rng, self.path("x.nc"), "y", y, attributes)
        try:
            values, filled, outside = decode(y, attributes, self.given, self.raw)
        except Refused:
            return
        there = ~self.missing & ~filled & ~outside
        if not there.any():
            return
        wanted = self.answers(self.save("a.npy", self.values[there]), "--with", self.save("b.npy", values[there]),
                              "--op", "dot", "--device", "cpu")
        found = self.answers("x.nc:/d", "--with", "x.nc:/y", "--op", "dot,sum", *self.arguments)
        if found["results"][0]["values"] != wanted["results"][0]["values"]:
            raise Difference(f"dot: {found['results'][0]}, want {wanted['results'][0]}")

    def check_map(self):
        done = self.tessera("map", "a", "x.nc:/d", "--output", "m.npy", "--overwrite", "--quiet", *self.arguments)
        want = self.values
        if done.returncode == 2 and want.dtype.kind != "f" and want.dtype.itemsize == 8 and "NaN" in done.stderr:
            return
        if done.returncode != 0:
            raise Difference(f"map: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        found = np.load(self.path("m.npy"))
        if found.dtype.kind == "f" and want.dtype.kind != "f":
            want = want.astype("f8")
        if self.missing.any():
            want = np.where(self.missing, np.array(np.nan, want.dtype), want)
        if found.shape != want.shape or not np.array_equal(found.astype("f8"), want.astype("f8"), equal_nan=True):
            raise Difference(f"map: {found.dtype} {found.tolist()}, want {want.dtype} {want.tolist()}")


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("tessera", type=os.path.abspath)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_SEED", "7")))
    parser.add_argument("--case", type=int)
    parser.add_argument("--device", default="reference,cpu")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    first = options.seed * 1_000_000 if options.case is None else options.case
    cases = 1 if options.case is not None else options.cases or (10**9 if options.seconds else 100)
    end = time.monotonic() + (options.seconds or 1e9)
    done = 0
    for number in range(first, first + cases):
        if time.monotonic() > end:
            break
        case = Case(number, options)
        with tempfile.TemporaryDirectory(prefix="packed ") as folder:
            try:
                case.run(folder)
            except Difference as difference:
                print(f"{difference}\nattributes {case.attributes}, {case.stored.dtype} {case.stored.shape}, "
                      f"nan {case.nan}\n{' '.join(case.last)}\nrepeat it: {sys.argv[0]} {options.tessera} --case {number}")
                return 1
        done += 1
    print(f"{done} cases of packed arrays agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
