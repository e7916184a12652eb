#!/usr/bin/env python3
"""Hostile names of files, datasets, keys and outputs: they come back unchanged in tables, arrays and JSON.

usage: names_oracle.py TESSERA [OPTIONS]

Each case has a number, which decides everything. A difference prints the line that repeats its case; exit 1.

  --seed N     cases are numbered from N * 1000000 (default: TESSERA_SEED, or 7)
  --cases N    so many (default: no limit; 50 if there is no --seconds either)
  --seconds S  begins no case after so long
  --case N     this one only
  --keep DIR   leaves the files of a case that differs in DIR (default: TESSERA_KEEP, or none)
  --verbose    prints each case
"""

import argparse
import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from setting import HANG_S

# Another number where the same case is to be something else.
VERSION = 1
CASES_OF_A_SEED = 1_000_000

PIECES = [piece if isinstance(piece, bytes) else piece.encode() for piece in (
    "?", "=", ":", ",", "'", '"', "\\", "%", "&", "*", "[", "]", "{", "}", " ", "  ", "\n", "\t", "\r", "\x1b", "\x7f",
    "\x01", "ü", "e\u0301", "日本", "\U0001f600", "\u0085", "\ufeff", "\u202e", b"\xff", b"\xc3", b"\xed\xa0\x80", "#", "~",
    ";", "$x", "`", "|", "<", ">", "(", ")", "!", "^", "@", "+", "-", "--", ".", "..", "\\x41", "\\x", "\\\\", "%41", "%20",
    "x=1", "?dtype=f4", "a=", "count", "sum", "min", "minmax_min", "_from", "_key0", "key0", "random:", "0", "1", "a", "b",
    "k", "nan", "\\n", "\\u0041", "\\'", "''", '""', "]\n", "None", "http:", "linspace:0", "&shape=3")]
OPERATIONS = ("sum", "min", "minmax")
RESULTS = {"sum": ["sum"], "min": ["min"], "minmax": ["minmax_min", "minmax_max"]}


class Difference(Exception):
    pass


def shown(name):
    """As Tessera names a column: bytes that are not UTF-8 by their escapes."""
    text, at = "", 0
    while at < len(name):
        for length in (1, 2, 3, 4):
            try:
                text += name[at:at + length].decode()
                at += length
                break
            except UnicodeDecodeError:
                pass
        else:
            text += f"\\x{name[at]:02x}"
            at += 1
    return text


def escaped(rng, name, always):
    """The name with escapes for some of its bytes, and for these ones."""
    if not always and rng.random() < 0.6:
        return name
    return b"".join(b"\\x%02x" % byte if byte in b"?=:,*\\" + always or rng.random() < 0.1 else bytes([byte])
                    for byte in name)


def random_name(rng):
    """Of a file or a dataset: without the suffix of the former."""
    return b"".join(PIECES[i] for i in rng.integers(0, len(PIECES), int(rng.integers(1, 6))))[:60]


def stem(file):
    """std::filesystem::path::stem()."""
    dot = file.rfind(b".")
    return file if dot <= 0 or file == b".." else file[:dot]


class Case:
    def __init__(self, program, number):
        self.program = program
        self.rng = np.random.default_rng([VERSION, number])
        self.shape = (int(self.rng.integers(3, 9)),)
        self.lines = []
        self.keys = 0  # where commas separate

    def run(self, *arguments):
        command = [self.program, *[a if isinstance(a, bytes) else a.encode() for a in arguments]]
        self.lines.append(" ".join(shlex.quote(os.fsdecode(part)) for part in command))
        done = subprocess.run(command, capture_output=True, timeout=HANG_S)
        if done.returncode != 0:
            raise Difference(f"exit {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def array(self, dtype):
        return self.rng.integers(0, 4, self.shape).astype(dtype)

    def store(self, array):
        """The text that names the array, and the name of a column."""
        rng, name = self.rng, random_name(self.rng)
        folder = b"./" if rng.random() < 0.7 else random_name(rng).replace(b"*", b"")[:20].strip(b".") + b"d/"
        if folder.startswith((b"-", b"~")) or re.match(rb"\w+:", folder):
            folder = b"./" + folder
        os.makedirs(folder, exist_ok=True)
        kind = rng.choice(["npy", "h5", "raw"])
        if kind == "h5":
            file = folder + random_name(rng)[:20] + b".h5"
            with h5py.File(file, "a") as to:
                if name in (b".", b"..") or name in {os.fsencode(one) for one in to}:
                    name += b"!"
                is_text = shown(name).encode() == name and rng.random() < 0.5  # h5py marks these as UTF-8
                to[name.decode() if is_text else name] = array
            return self.given(file) + b":/" + escaped(rng, name, b"," if self.keys and b"," in name else b""), name
        file = folder + name + (b".npy" if kind == "npy" else b".bin")
        if os.path.exists(file):
            file = folder + name + b"!" + file[len(folder) + len(name):]
        if kind == "npy":
            with open(file, "wb") as to:
                np.save(to, array)
            return self.given(file), stem(os.path.basename(file))
        array.tofile(os.fsdecode(file))
        options = f"?dtype={array.dtype.str[1:]}&shape={array.size}".encode()
        return self.given(file) + options, stem(os.path.basename(file))

    def given(self, file):
        """A star is a pattern unless it is escaped. Beside an escape, whatever separates has one, too."""
        return escaped(self.rng, file, b"*" if b"*" in file or (self.keys > 1 and b"," in file) else b"")

    def check(self):
        if self.rng.random() < 0.6:
            self.check_table()
        else:
            self.check_map()

    def check_table(self):
        rng, values = self.rng, self.array("f8")
        source, _ = self.store(values)
        keys, texts, names = [], [], []
        operations = [str(one) for one in rng.permutation(OPERATIONS)[:int(rng.integers(1, 4))]]
        taken = ["count"] + [column for one in operations for column in RESULTS[one]]
        self.keys = int(rng.integers(1, 3))
        for number in range(self.keys):
            keys.append(self.array("i4"))
            text, name = self.store(keys[-1])
            texts.append(text)
            name = shown(name)
            while name in taken or name in ("", ".", ".."):
                name += f"_key{number}"
            names.append(name)
            taken.append(name)
        wanted = self.table(values, keys, operations)
        columns = names + ["count"] + [column for one in operations for column in RESULTS[one]]
        for suffix in ("npy", "json", "csv", "h5"):
            output = b"./o/" + random_name(rng)[:40] + b"." + suffix.encode()
            said = self.run("reduce", source, "--by", b",".join(texts), "--op", ",".join(operations), "--output", output,
                            "--overwrite", "--json", "--threads", "1")
            self.assert_same("columns of --json", json.loads(said)["groups"]["columns"], columns)
            got = self.read(output, suffix)
            self.assert_same(f"columns of .{suffix}", sorted(got), sorted(columns))
            for name, column in zip(columns, wanted):
                self.assert_same(f"{suffix} {name!r}", [float(x) for x in got[name]], [float(x) for x in column])

    def table(self, values, keys, operations):
        groups = {}
        for i, key in enumerate(zip(*(k.tolist() for k in keys))):
            groups.setdefault(key, []).append(values[i])
        order = sorted(groups)
        columns = [[key[k] for key in order] for k in range(len(keys))]
        columns.append([len(groups[key]) for key in order])
        for one in operations:
            for what in {"sum": [sum], "min": [min], "minmax": [min, max]}[one]:
                columns.append([what(groups[key]) for key in order])
        return columns

    def read(self, path, suffix):
        if suffix == "npy":
            with open(path, "rb") as file:
                array = np.load(file)
            return {name: array[name].tolist() for name in array.dtype.names}
        if suffix == "h5":
            with h5py.File(path, "r") as file:
                return {name: data[()].tolist() for name, data in file.items()}
        with open(path, encoding="utf8", newline="") as file:
            if suffix == "json":
                pairs = json.load(file, object_pairs_hook=list)
                return {name: [row[c][1] for row in pairs] for c, (name, _) in enumerate(pairs[0])}
            head, *rows = csv.reader(file)
        if len(set(head)) != len(head):
            raise Difference(f"columns {head}")
        return {name: [row[c] for row in rows] for c, name in enumerate(head)}

    def check_map(self):
        """An array of a hostile name becomes one of another, and is found by it."""
        rng, values = self.rng, self.array("f8")
        source, _ = self.store(values)
        file, name = b"./o/" + random_name(rng)[:30], random_name(rng)
        name = name + b"!" if name in (b".", b"..") else name
        if rng.random() < 0.5:
            output, again = file + b".npy", self.given(file + b".npy")
        else:
            output, again = file + b".h5:/" + name, self.given(file + b".h5") + b":/" + escaped(rng, name, b"")
        command = ("map", "n * 2", b"n=" + source, "--output", output, "--quiet", "--report", "report.json")
        self.run(*command)
        if output.endswith(b".npy") and b".h5:/" not in output:
            with open(output, "rb") as made:
                got = np.load(made)
        else:
            with h5py.File(file + b".h5", "r") as made:
                self.assert_same("datasets", [os.fsencode(one) for one in made], [name])
                got = made[name][()]
        self.assert_same("map", got.tolist(), (values * 2).tolist())
        with open("report.json", encoding="utf8") as report:
            json.load(report)
        self.run(*command)  # is complete already
        with open("report.json", encoding="utf8") as report:
            self.assert_same("found_complete", json.load(report)["found_complete"], True)
        self.assert_same("sum", float(self.run("reduce", again, "--op", "sum", "--quiet")), float(values.sum() * 2))

    def assert_same(self, what, got, wanted):
        if got != wanted:
            raise Difference(f"{what}: {got}, not {wanted}")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_SEED", "7")))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", default=os.environ.get("TESSERA_KEEP"))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.cases is None and options.seconds is None:
        options.cases = 50
    return options


def check(options, number):
    """Whether the case is as it should be."""
    folder = tempfile.mkdtemp(prefix="tessera names ")
    case = Case(os.path.abspath(options.program), number)
    os.chdir(folder)
    try:
        if options.verbose:
            print(number, flush=True)
        case.check()
        return True
    except Difference as difference:
        print("\n".join(case.lines))
        print(f"case {number}: {difference}")
        print(f"again: names_oracle.py TESSERA --case {number}", flush=True)
        if options.keep:
            shutil.copytree(folder, os.path.join(options.keep, str(number)), symlinks=True)
        return False
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


def main():
    options = parse_arguments()
    options.program = os.path.abspath(options.program)
    if options.case is not None:
        return 0 if check(options, options.case) else 1
    end = time.monotonic() + options.seconds if options.seconds else None
    number = first = options.seed * CASES_OF_A_SEED
    while (options.cases is None or number < first + options.cases) and (end is None or time.monotonic() < end):
        if not check(options, number):
            return 1
        number += 1
    print(f"{number - first} cases, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
