"""A command of `tessera map` at random, and whether the files that it writes are right."""

import json
import os

import h5py
import numpy as np

from difference import Difference
from random_command import random_options


def random_storage(rng, values):
    """How the values go to files: --output, options, and a file and a dataset for each of them."""
    if len(values) > 1 and rng.random() < 0.3:
        places = {name: ("o.h5", name) for name in values}
        outputs = ["--output", "o.h5"]
    else:
        places, outputs = {}, []
        for name in values:
            file, dataset = rng.choice([(f"{name}.npy", ""), (f"{name}.raw", ""), (f"{name}.h5", "x/y")])
            places[name] = (str(file), str(dataset))
            outputs += ["--output", f"{name}={file}" + (f":/{dataset}" if dataset else "")]
    shape = next(iter(values.values())).shape
    if any(dataset for _, dataset in places.values()):
        if rng.random() < 0.5:
            outputs += ["--compress", str(rng.integers(0, 4))]
        if shape and rng.random() < 0.5:
            outputs += ["--chunk", "x".join(str(rng.integers(1, side + 2)) for side in shape)]
    return places, outputs


def same_elements(found, wanted):
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        return False
    if wanted.dtype.kind != "f":
        return bool((found == wanted).all())
    bits = f"u{wanted.dtype.itemsize}"
    return bool(((found.view(bits) == wanted.view(bits)) | ((found != found) & (wanted != wanted))).all())


class MapCommand:
    """`texts` and `values`: of the expressions, by their names."""

    def __init__(self, rng, texts, values, inputs, setting):
        self.values = {name: np.asarray(value) for name, value in values.items()}
        self.array = next(iter(self.values.values()))
        self.inputs, self.options, self.ranks = inputs, random_options(rng, setting), setting.ranks(rng)
        self.places, self.outputs = random_storage(rng, self.values)
        named = [f"{name} = {text}" for name, text in texts.items()]
        self.expressions = ["; ".join(named)] if "o.h5" in self.outputs or rng.random() < 0.5 else named

    def without_order_statistics(self):
        """There are none."""

    def arguments(self):
        return ["map", *self.expressions, *self.inputs, *self.outputs, *self.options, "--overwrite", "--quiet", "--report",
                "r.json"]

    def check(self, setting):
        done = setting.run(self.arguments(), self.ranks)
        try:
            self.check_files(done)
        except Difference as difference:
            raise Difference(f"{difference}\n  {setting.shown(self.arguments(), self.ranks)}") from None

    def check_files(self, done):
        if done.returncode != 0:
            raise Difference(f"exit {done.returncode}: {done.stderr.strip()[-600:]}")
        for name, wanted in self.values.items():
            if not same_elements(self.read(name), wanted):
                raise Difference(f"{name} in {self.places[name][0]} differs")
        with open("r.json") as file:
            report = json.load(file)
        files = [result["file"] for result in report["results"]]
        if files != [file for file, _ in self.places.values()]:
            raise Difference(f"the report says {files}")
        left = [name for name in os.listdir(".") if ".part" in name]
        if left:
            raise Difference(f"leaves {left}")

    def read(self, name):
        file, dataset = self.places[name]
        wanted = self.values[name]
        if file.endswith(".npy"):
            return np.load(file)
        if file.endswith(".raw"):
            return np.fromfile(file, wanted.dtype).reshape(wanted.shape) if wanted.size else wanted
        with h5py.File(file) as opened:
            return np.asarray(opened[dataset][()])
