"""Reductions as whole runs: the GPU has the answers of the reference and of the cores, to the bit. Each run starts a
process, so these are a few of every kind; the step parity compares all types and operations in one."""

import array
import json
import random

from checks import same

TYPES = {"i1": 1, "i2": 2, "i4": 4, "i8": 8, "u1": 1, "u2": 2, "u4": 4, "u8": 8, "f2": 2, "f4": 4, "f8": 8}
CHOSEN_TYPES = ("i8", "f2", "f8")
OPERATIONS = ("sum,prod,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,"
              "histogram=9,-3,3")
ORDER = "median,quantile=0.01,0.99,topk=9,argtopk=9"
GROUPED = "mean,var,norm1,minmax,argmin,argmax,count_nonzero"


def write_any_bits(path, size_bytes):
    """Every exponent, NaN, infinities."""
    path.write_bytes(random.Random(path.name).getrandbits(8 * size_bytes).to_bytes(size_bytes, "little"))


def write_normal(path, count):
    generator = random.Random(path.name)
    path.write_bytes(array.array("d", (generator.gauss(0, 1) for _ in range(count))).tobytes())


class Reduction:
    """The same on several devices."""

    def __init__(self, checks, *source):
        self.checks, self.source = checks, source

    def on(self, device, *options, **run_options):
        report = self.checks.folder / "reduction.json"
        self.checks.run(self.checks.tessera, "reduce", *self.source, "--device", device, "--quiet", "--report", report,
                        *options, **run_options)
        return json.loads(report.read_text())["results"]

    def array_on(self, device, *options, **run_options):
        """The bytes of the file that --axis writes."""
        self.checks.run(self.checks.tessera, "reduce", *self.source, "--device", device, "--quiet", "--output", "o.npy",
                        "--overwrite", *options, **run_options)
        return (self.checks.folder / "o.npy").read_bytes()

    def check(self, call=None, devices=("cuda:0",), **options):
        """Each device against the reference."""
        call = call or self.on
        truth = call("reference")
        for device in devices:
            same(call(device, "--slice", "64K", **options), truth, device)
        same(call("cuda:0", **options), truth, "cuda:0, slices of the usual size")


def any_bits(checks, dtype, count):
    name = f"{dtype}.raw"
    if not (checks.folder / name).exists():
        write_any_bits(checks.folder / name, count * TYPES[dtype])
    return f"{name}?dtype={dtype}&shape={count}"


def of_types(checks, count):
    for dtype in CHOSEN_TYPES:
        with checks.check(f"{dtype}, any bits: {OPERATIONS.count(',') - 1} operations"):
            source = any_bits(checks, dtype, count)
            Reduction(checks, source, "--op", OPERATIONS).check(devices=("cuda:0", "cpu"))
            if dtype[0] == "f":
                Reduction(checks, source, "--op", OPERATIONS, "--nan", "skip").check()
    with checks.check("f8, normal numbers"):
        write_normal(checks.folder / "f8-normal.raw", count)
        Reduction(checks, f"f8-normal.raw?dtype=f8&shape={count}", "--op", OPERATIONS).check()
    with checks.check("f8, big-endian"):
        any_bits(checks, "f8", count)
        Reduction(checks, f"f8.raw?dtype=>f8&shape={count}", "--op", OPERATIONS).check()


def of_axes(checks, count):
    columns = 97
    shape = f"{count // columns // 3}x3x{columns}"
    for axes in ("0", "2"):
        with checks.check(f"var along axis {axes} of {shape}"):
            any_bits(checks, "f8", count)
            reduction = Reduction(checks, f"f8.raw?dtype=f8&shape={shape}", "--op", "var", "--axis", axes, "--nan", "skip")
            reduction.check(reduction.array_on)


def of_pairs(checks, count):
    for first, second in (("f8", "f8"), ("i8", "u8")):
        with checks.check(f"dot of {first} and {second}"):
            sources = [any_bits(checks, dtype, count) for dtype in (first, second)]
            Reduction(checks, sources[0], "--op", "dot", "--with", sources[1], "--nan", "skip").check()


def of_expressions(checks, count):
    sources = {dtype: any_bits(checks, dtype, count) for dtype in ("f8", "f4", "i8")}
    made = f"random:normal?count={count}"
    for text, *inputs in (("a*b + 1", "f8", "f8"), ("sqrt(a*a + b*b)", "f8", "f4"), ("a // 7 + b % 5", "i8", "f4"),
                          ("exp(a) + sin(b) * atan2(a, b)", "f8", "f4"), ("a ** b - hypot(a, c)", "f4", "f8", made)):
        with checks.check(f"{text} of {', '.join(inputs)}"):
            Reduction(checks, *(sources.get(name, name) for name in inputs), "--map", text, "--op", OPERATIONS, "--nan",
                      "skip").check(devices=("cuda:0", "cpu"))


def of_written(checks, count):
    sources = [any_bits(checks, dtype, count) for dtype in ("f8", "f4")]
    for texts in (("c = a*b + 1", "d = a < b"), ("c = exp(a) - index", "d = where(b > 0, a, 2*b)")):
        def written(device, *options, texts=texts, **run_options):
            checks.run(checks.tessera, "map", *texts, *sources, "--output", "c=c.npy", "--output", "d=d.raw", "--device", device,
                       "--quiet", "--overwrite", *options, **run_options)
            return [(checks.folder / name).read_bytes() for name in ("c.npy", "d.raw")]

        with checks.check(f"map {'; '.join(texts)}"):
            Reduction(checks).check(written)


def of_made(checks, count):
    for source in ("random:uniform?count=%d", "random:uniform?count=%d&dtype=f4", "random:uniform?count=%d&dtype=i8",
                   "random:normal?count=%d", "random:normal?count=%d&dtype=f4&seed=9", "linspace:-1,2?count=%d"):
        with checks.check(source % count):
            Reduction(checks, source % count, "--op", OPERATIONS).check()
    normal = f"random:normal?count={count}"
    with checks.check("dot of two generated arrays"):
        Reduction(checks, normal, "--op", "dot", "--with", f"random:uniform?count={count}").check()
    with checks.check("no elements, one element"):
        for few in (0, 1):
            Reduction(checks, f"{normal[:normal.index('=')]}={few}", "--op", "sum,prod,any").check()


def of_order(checks, count):
    for dtype in CHOSEN_TYPES:
        with checks.check(f"{dtype}, median, quantiles and the largest"):
            operations = ORDER if dtype[0] == "f" else f"{ORDER},mode,nunique"
            Reduction(checks, any_bits(checks, dtype, count), "--op", operations, "--nan", "skip").check()
    with checks.check("median of a generated array"):
        Reduction(checks, f"random:normal?count={count}", "--op", ORDER).check()


def of_groups(checks, count):
    """Keys of any bits, few and many groups."""
    for dtype, keys, operations in (("f8", "u1", GROUPED), ("f4", "i2", GROUPED), ("i8", "u1", "min,max,argmax,mean"), ("f8", "i8", "sum,max")):
        with checks.check(f"{dtype} by keys of {keys}: {operations.count(',') + 1} operations"):
            sources = [any_bits(checks, one, count) for one in (dtype, keys)]
            reduction = Reduction(checks, sources[0], "--by", sources[1], "--op", operations, "--nan", "skip")
            reduction.check(reduction.array_on)


def arrays(checks):
    """arrays of every type and operation, axes, dots, products, expressions, also written, order statistics, groups, generated arrays: against the reference and the cores"""
    count = checks.px(200_003, 3_001)
    of_types(checks, count)
    of_axes(checks, count)
    of_pairs(checks, count)
    of_expressions(checks, count)
    of_written(checks, count)
    of_order(checks, count)
    of_groups(checks, count)
    of_made(checks, checks.px(2_000_003, 5_001))
