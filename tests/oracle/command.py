"""A command of `tessera reduce`, and whether what comes of it is right."""

import collections
import json
import math
import re
import struct
from dataclasses import dataclass, field

import numpy as np

import answers
import axis_results
import group_results
from answers import Answers
from difference import Difference
from product import Product


def same(a, b):
    """Equal bits, for floats; any NaN is like another. A Product accepts some."""
    if isinstance(b, Product):
        return isinstance(a, float) and b.accepts(a)
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("<d", a) == struct.pack("<d", b) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def read_value(value):
    """A number of the report, whose two forms have to agree."""
    text = value["decimal"]
    if text in ("true", "false"):
        return text == "true"
    if value["hex"] is None:
        return int(text)
    by_hex = float.fromhex(value["hex"])
    if not same(by_hex, float(text)):
        raise Difference(f"the report has two numbers for one: {value}")
    return by_hex


OF_CORES = ("median", "quantile", "topk", "argtopk", "mode", "nunique")
KEPT = collections.OrderedDict()


def answers_of(array, nan):
    """About a whole array; kept for the next commands about the same one."""
    key = (id(array), nan)
    if key not in KEPT or KEPT[key][0] is not array:
        KEPT[key] = (array, Answers(array.reshape(1, -1), nan))
    while len(KEPT) > 4:
        KEPT.popitem(last=False)
    return KEPT[key][1]


@dataclass
class Command:
    """Which operations, under which options; of a whole array, or along axes."""

    array: np.ndarray
    inputs: list
    operations: list
    axes: list = None
    nan: str = "propagate"
    ddof: int = 0
    options: list = field(default_factory=list)
    ranks: int = 0
    table: bool = False
    output: str = "o.h5"
    bins: int = 0
    quantiles: list = field(default_factory=list)
    method: str = "linear"
    topk: int = 0
    argtopk: int = 0
    range: tuple = None
    with_input: str = None
    with_array: np.ndarray = None
    keys: np.ndarray = None
    expression: str = None

    def without_order_statistics(self):
        """Leaves what GPUs compute."""
        self.operations = [name for name in self.operations if name not in OF_CORES] or ["sum"]

    def add_dot(self, with_input, with_array):
        self.with_input, self.with_array = with_input, with_array
        self.operations.append("dot")

    def operation_list(self):
        values = {"histogram": f"{self.bins}" + (f",{self.range[0]!r},{self.range[1]!r}" if self.range else ""),
                  "quantile": ",".join(map(repr, self.quantiles)), "topk": self.topk, "argtopk": self.argtopk}
        return ",".join(f"{name}={values[name]}" if name in values else name for name in self.operations)

    def arguments(self):
        arguments = ["reduce", *self.inputs, "--op", self.operation_list(), *self.options, "--report", "r.json"]
        arguments += ["--nan", self.nan, "--ddof", str(self.ddof)]
        if self.expression:
            arguments += ["--map", self.expression]
        if "quantile" in self.operations:
            arguments += ["--quantile-method", self.method]
        if self.with_input:
            arguments += ["--with", self.with_input]
        if self.keys is not None:
            arguments += ["--by", "k.npy", "--output", self.output, "--overwrite"]
        if self.axes is not None:
            arguments += ["--axis", ",".join(map(str, self.axes)), "--output", self.output, "--overwrite"]
        return arguments + ([] if self.table else ["--quiet"])

    def check(self, setting):
        """Raises Difference where the program does anything else than it has to."""
        if self.keys is not None:
            np.save("k.npy", self.keys)
        done = setting.run(self.arguments(), self.ranks)
        try:
            if self.keys is not None:
                group_results.check(self, done)
            else:
                self.check_whole(done) if self.axes is None else axis_results.check(self, done)
        except Difference as difference:
            raise Difference(f"{difference}\n  {setting.shown(self.arguments(), self.ranks)}") from None

    def refused(self, done, code, *words):
        """An error of that code whose message has these words."""
        if done.returncode != code or not all(word in done.stderr for word in words):
            raise Difference(f"exit {done.returncode} and {done.stderr.strip()!r}, not exit {code} and a message with {words}")

    def report_of(self, done):
        if done.returncode != 0:
            raise Difference(f"exit {done.returncode}: {done.stderr.strip()[-600:]}")
        if not self.table and not self.ranks and "opencl" not in str(self.options) and done.stderr:
            raise Difference(f"says {done.stderr.strip()[-600:]!r}")
        with open("r.json") as file:
            return json.load(file)

    def check_array(self, report, nans, up, down):
        array, said = self.array, report["array"]
        wanted = {"dtype": array.dtype.str[1:], "shape": list(array.shape),
                  "elements": array.size, "nans": nans, "positive_infinities": up, "negative_infinities": down}
        for key, value in wanted.items():
            if said[key] != value:
                raise Difference(f"{key} of the array: {said[key]}, not {value}")

    def check_whole(self, done):
        row = answers_of(self.array, self.nan)
        if self.array.size == 0 and set(self.operations) & set(answers.OF_NOTHING_AN_ERROR):
            return self.refused(done, 2, "empty")
        if self.array.dtype.kind == "f" and set(self.operations) & set(answers.INTEGERS_ONLY):
            return self.refused(done, 2, "integers")
        edges = None
        if "histogram" in self.operations:
            limits = self.range or answers_of(self.array, "skip").histogram_range()
            if limits is None:
                return self.refused(done, 2, "histogram", "LO,HI")
            edges = answers.edges_of(limits, self.bins)
        report = self.report_of(done)
        self.check_array(report, sum(row.nans), sum(row.up), sum(row.down))
        if [result["op"] for result in report["results"]] != self.operations:
            raise Difference(f"answers {[result['op'] for result in report['results']]}")
        for result in report["results"]:
            self.check_result(result, row, edges)
            if self.table and result["op"] != "histogram":
                self.check_table(result, done.stdout)

    def check_result(self, result, row, edges):
        name = result["op"]
        if name == "histogram":
            ours = [float.fromhex(edge["hex"]) for edge in result["edges"]]
            self.compare(name + "'s edges", ours, edges.tolist())
            if (np.diff(edges) < 0).any():
                return  # of so narrow a range numpy.linspace itself goes back
            wanted = row.histogram(edges)[0]
        elif name == "dot":
            wanted = answers.dot(self.array.ravel(), self.with_array.ravel(), self.nan)
        elif name == "quantile":
            wanted = row.quantile(self.quantiles, self.method)[0]
        elif name in ("topk", "argtopk"):
            wanted = getattr(row, name)(getattr(self, name))[0]
        else:
            wanted = row.of(name, self.ddof)[0]
        self.compare(name, [read_value(value) for value in result["values"]],
                     wanted if isinstance(wanted, tuple) else (wanted,))
        if name in ("argmin", "argmax") and wanted >= 0 and self.array.ndim:
            coordinates = [int(place) for place in np.unravel_index(wanted, self.array.shape)]
            self.compare(f"coordinates of {name}", result["coordinates"], coordinates)
        if name == "argtopk" and wanted:
            places = np.unravel_index(wanted, self.array.shape) if self.array.ndim else ()
            self.compare("coordinates of argtopk", result["coordinates"], [[int(axis[i]) for axis in places] for i in range(len(wanted))])

    @staticmethod
    def compare(name, ours, wanted):
        if len(ours) != len(wanted):
            raise Difference(f"{name}: {len(ours)} values, not {len(wanted)}")
        for i, (mine, theirs) in enumerate(zip(ours, wanted)):
            if not same(mine, theirs):
                place = f"[{i}]" if len(ours) > 1 else ""
                raise Difference(f"{name}{place}: {mine!r}, not {theirs!r}")

    @staticmethod
    def check_table(result, said):
        # Behind an extreme the table names its place: "  at [0, 9]", and "  in FILE at [0, 9]" where files are joined.
        line = re.search(rf"^{result['op']} +(.*?)(?:  (?:at \[|in ).*)?$", said, re.MULTILINE)
        texts = [value["decimal"] for value in result["values"]]
        if result["op"] == "argtopk" and len(result["coordinates"][0] if texts else ()) > 1:  # a line for each
            lines = [f"{'' if i else 'argtopk':<14} {text}  at {place}" for i, (text, place) in enumerate(zip(texts, result["coordinates"]))]
            if "\n".join(lines) + "\n" not in said:
                raise Difference(f"the table has {line and line[0]!r} and so on, the report {texts}")
        elif not line or line[1].split() != texts:
            raise Difference(f"the table has {line and line[0]!r}, the report {texts}")
